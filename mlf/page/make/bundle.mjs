// Bundles src/ into FOLDER: node make/bundle.mjs FOLDER. The same sources give the same bytes.
import { build } from "esbuild";

const [folder] = process.argv.slice(2);
const common = { bundle: true, minify: true, charset: "ascii", legalComments: "none" };
await build({ ...common, entryPoints: ["src/page.ts"], outfile: `${folder}/page.js`,
              format: "iife", target: "es2020" });
await build({ ...common, entryPoints: ["src/page.css"], outfile: `${folder}/page.css` });
