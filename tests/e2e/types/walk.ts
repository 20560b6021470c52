// Counts the loads and stores of tir-N.json documents: a program over the generated types. It stops
// compiling when a kind of statement or expression has no case of its own.
import { readFileSync } from "node:fs";

import type { Expr, ModuleFunction, Range, Stmt, Stmts, TirDocument } from "./tir";

interface Counts {
  loads: number;
  stores: number;
}

type Work = { stmt: Stmt } | { expr: Expr };

function unknown(node: never): never {
  throw new Error(`no case for ${JSON.stringify(node)}`);
}

const ofStmts = (stmts: Stmts | null): Work[] => (stmts ?? []).map((stmt: Stmt) => ({ stmt }));
const ofExprs = (...exprs: (Expr | null)[]): Work[] =>
  exprs.flatMap((expr) => (expr === null ? [] : [{ expr }]));
const ofRanges = (ranges: Range[]): Work[] =>
  ranges.flatMap((range) => ofExprs(range.min, range.extent));

/** What is directly in a statement. */
function inStmt(stmt: Stmt, counts: Counts): Work[] {
  switch (stmt.node) {
    case "LetStmt":
    case "Evaluate":
    case "AttrStmt":
      return ofExprs(stmt.value);
    case "AssertStmt":
      return ofExprs(stmt.condition, stmt.message);
    case "Store":
      counts.stores += 1;
      return ofExprs(stmt.value, stmt.index, stmt.predicate);
    case "BufferStore":
      counts.stores += 1;
      return ofExprs(stmt.value, ...stmt.indices, stmt.predicate ?? null);
    case "ProducerStore":
      return ofExprs(stmt.value, ...stmt.indices);
    case "BufferRealize":
    case "ProducerRealize":
      return [...ofExprs(stmt.condition), ...ofRanges(stmt.bounds)];
    case "Allocate":
      return ofExprs(...stmt.extents, stmt.condition);
    case "AllocateConst":
      return ofExprs(...stmt.extents);
    case "For":
      return [...ofExprs(stmt.min, stmt.extent), ...ofStmts(stmt.body)];
    case "While":
      return [...ofExprs(stmt.condition), ...ofStmts(stmt.body)];
    case "IfThenElse":
      return [...ofExprs(stmt.condition), ...ofStmts(stmt.then_case), ...ofStmts(stmt.else_case)];
    case "Block":
      return [...ofStmts(stmt.init), ...ofStmts(stmt.body)];
    case "BlockRealize":
      return [...ofExprs(...stmt.iter_values, stmt.predicate), { stmt: stmt.block[0] }];
    case "Prefetch":
      return ofRanges(stmt.bounds);
    case "DeclBuffer":
    case "SeqStmt":
    case "OpaqueStmt":
      return [];
    default:
      return unknown(stmt);
  }
}

/** What is directly in an expression. */
function inExpr(expr: Expr, counts: Counts): Work[] {
  if ("object" in expr) return [];
  switch (expr.node) {
    case "Add":
    case "Sub":
    case "Mul":
    case "Div":
    case "Mod":
    case "FloorDiv":
    case "FloorMod":
    case "Min":
    case "Max":
    case "EQ":
    case "NE":
    case "LT":
    case "LE":
    case "GT":
    case "GE":
    case "And":
    case "Or":
      return ofExprs(expr.a, expr.b);
    case "Not":
      return ofExprs(expr.a);
    case "Cast":
      return ofExprs(expr.value);
    case "Select":
      return ofExprs(expr.condition, expr.true_value, expr.false_value);
    case "Load":
      counts.loads += 1;
      return ofExprs(expr.index, expr.predicate);
    case "BufferLoad":
      counts.loads += 1;
      return ofExprs(...expr.indices, expr.predicate ?? null);
    case "ProducerLoad":
      return ofExprs(...expr.indices);
    case "Ramp":
      return ofExprs(expr.base, expr.stride, expr.lanes);
    case "Broadcast":
      return ofExprs(expr.value, expr.lanes);
    case "Let":
      return ofExprs(expr.value, expr.body);
    case "Call":
      return ofExprs(...expr.args);
    case "Shuffle":
      return ofExprs(...expr.vectors, ...expr.indices);
    case "Reduce":
      return ofExprs(...expr.source, ...(expr.init ?? []), expr.condition);
    case "Var":
    case "ExprRef":
    case "IntImm":
    case "FloatImm":
    case "StringImm":
    case "Any":
    case "OpaqueExpr":
      return [];
    default:
      return unknown(expr);
  }
}

function count(functions: ModuleFunction[]): Counts {
  const counts: Counts = { loads: 0, stores: 0 };
  const stack: Work[] = functions.flatMap((f) =>
    "body" in f ? [...ofStmts(f.body), ...ofExprs(...f.exprs)] : [],
  );
  for (let work = stack.pop(); work !== undefined; work = stack.pop()) {
    stack.push(...("stmt" in work ? inStmt(work.stmt, counts) : inExpr(work.expr, counts)));
  }
  return counts;
}

for (const path of process.argv.slice(2)) {
  const document: TirDocument = JSON.parse(readFileSync(path, "utf8"));
  const { loads, stores } = count(document.functions);
  console.log(`${loads} ${stores}`);
}
