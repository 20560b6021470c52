// Bundles src/ into DIRECTORY: node make/bundle.mjs DIRECTORY. The same sources give the same bytes.
import { build } from "esbuild";

const [directory] = process.argv.slice(2);
const common = { bundle: true, minify: true, charset: "ascii", legalComments: "none" };
for (const name of ["begin", "page"]) {
  await build({ ...common, entryPoints: [`src/${name}.ts`], outfile: `${directory}/${name}.js`,
                format: "iife", target: "es2020" });
}
await build({ ...common, entryPoints: ["src/page.css"], outfile: `${directory}/page.css` });
