// Compiles tests/*.test.ts to JavaScript and runs them with the test runner of node.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const directory = mkdtempSync(join(tmpdir(), "mlf-page-"));
try {
  const entryPoints = readdirSync("tests").filter((name) => name.endsWith(".test.ts"))
    .map((name) => `tests/${name}`);
  await build({ entryPoints, outdir: directory, bundle: true, platform: "node", format: "esm",
                outExtension: { ".js": ".mjs" } });
  const files = readdirSync(directory).map((name) => join(directory, name));
  process.exitCode = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(directory, { recursive: true });
}
