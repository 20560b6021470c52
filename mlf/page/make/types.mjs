// Writes the types of the report from its schema: node make/types.mjs FILE.
import { readFileSync, writeFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";

const [file] = process.argv.slice(2);
const schema = JSON.parse(readFileSync(new URL("../../../schemas/report.schema.json", import.meta.url)));
// Removes the title, a sentence, because it would become the name of the type.
schema.title = "Report";
const bannerComment = "// Made by make/types.mjs from schemas/report.schema.json.";
writeFileSync(file, await compile(schema, "Report", { bannerComment }));
