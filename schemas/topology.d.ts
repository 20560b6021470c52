// Types of src/<m>.topology.json, made of topology.schema.json by tests/e2e/generated_types.py --update

export type TextOrNull = string | null;
export type TvmMinor = string;
/**
 * As TVM spells it: float32, int8, bool, float16x4
 */
export type Dtype = string | null;
export type Shape = number[] | null;
export type IdOrNull = number | null;
export type BytesOrNull = number | null;
/**
 * A position in one of the arrays of the document
 */
export type Id = number;
/**
 * DLDeviceType of TVM: 1 is a CPU, 4 OpenCL. Null: unknown
 */
export type Device = number | null;
export type KernelBuffers = null | KernelBuffer[];
/**
 * What the code does that is not understood, one sentence each; missing where all is understood
 *
 * @minItems 1
 */
export type Gaps = [string, ...string[]];
/**
 * A step of main, in execution order
 */
export type Position = number;
export type Endpoint =
  | {
      call: Id;
      argument: Id;
    }
  | {
      copy: Id;
    };
export type PositionOrNull = number | null;
export type Bytes = number;

/**
 * src/<m>.topology.json: the network of one module as a graph
 */
export interface TopologyDocument {
  format: "mlf-topology";
  version: 1;
  generator: string;
  module: string;
  provenance: Provenance;
  inputs: Port[];
  outputs: Port[];
  constants: Constant[];
  kernels: Kernel[];
  calls: Call[];
  values: Value[];
  storages: Storage[];
  pools: Pool[];
  memory: Memory[];
  hooks: Hook[];
  copies: Copy[];
  checks: Check[];
  gaps?: Gaps;
}
export interface Provenance {
  kind: "main-function" | "graph-json" | "relay";
  source: TextOrNull;
  dialect: "save_json" | "tvmscript" | "legacy_text" | "tir_json" | "old_tvmscript" | "c" | null;
  stage: TextOrNull;
  tvm_version: null | {
    first: TvmMinor;
    last: TvmMinor;
    exact: TextOrNull;
  };
  function: TextOrNull;
  symbol: TextOrNull;
  call_form: "unpacked" | "c-packed" | "packed" | null;
  argument_form: "pointers" | "arrays" | "stack" | null;
}
export interface Port {
  name: string;
  parameter: string;
  dtype: Dtype;
  shape: Shape;
  value: IdOrNull;
}
export interface Constant {
  name: string;
  dtype: Dtype;
  shape: Shape;
  bytes: BytesOrNull;
  value: Id;
  storage: Id;
}
export interface Kernel {
  symbol: string;
  origin: "tir" | "external" | "unknown";
  function: TextOrNull;
  source: TextOrNull;
  target: TextOrNull;
  device: Device;
  hash: TextOrNull;
  is_reshape: boolean;
  constants: KernelBuffers;
  workspaces: KernelBuffers;
  gaps?: Gaps;
}
export interface KernelBuffer {
  name: string;
  memory: "pool" | "heap" | "stack" | "program";
  bytes: BytesOrNull;
  pool: IdOrNull;
  offset: BytesOrNull;
}
export interface Call {
  name: string;
  kernel: Id;
  position: Position;
  arguments: Argument[];
}
export interface Argument {
  parameter: TextOrNull;
  direction: "input" | "output" | "in-out" | "pool" | "context" | "unknown";
  decided_by:
    | "body"
    | "untouched"
    | "parameter-kind"
    | "constant"
    | "graph-input"
    | "graph-output"
    | "never-written"
    | "after-output"
    | "other-call"
    | "written-before"
    | "last-argument"
    | "graph-json"
    | "relay";
  certainty: "certain" | "likely" | "assumed";
  reads: IdOrNull;
  writes: IdOrNull;
  storage: IdOrNull;
  pool: IdOrNull;
  dtype: Dtype;
  shape: Shape;
}
export interface Value {
  name: string;
  kind: "input" | "constant" | "computed";
  storage: Id;
  device: Device;
  version: Id;
  dtype: Dtype;
  shape: Shape;
  bytes: BytesOrNull;
  producer: null | Endpoint;
  consumers: Endpoint[];
  first_definition: PositionOrNull;
  last_use: PositionOrNull;
}
export interface Storage {
  name: string;
  kind: "parameter" | "workspace" | "constant" | "pool" | "lookup";
  memory: "pool" | "executor" | "heap" | "stack" | "program" | null;
  device: Device;
  bytes: BytesOrNull;
  pool: IdOrNull;
  offset: BytesOrNull;
}
export interface Pool {
  name: string;
  parameter: string;
  kind: "workspace" | "constant";
  bytes: BytesOrNull;
}
export interface Memory {
  kind: "pool" | "executor" | "heap" | "stack";
  pool: IdOrNull;
  device: Device;
  bytes: BytesOrNull;
  used: Bytes;
  peak: null | {
    position: Position;
    call: IdOrNull;
    bytes: Bytes;
  };
  live: {
    position: Position;
    bytes: Bytes;
  }[];
  exactness: "exact" | "at-least" | "at-most" | "unknown";
  uncertain: string[];
}
export interface Hook {
  symbol: string;
  phase: "activate" | "open" | "close" | "deactivate" | "other";
  context: TextOrNull;
  position: Position;
}
export interface Copy {
  position: Position;
  reads: IdOrNull;
  writes: Id;
  bytes: BytesOrNull;
}
export interface Check {
  code:
    | "several-mains"
    | "unknown-callee"
    | "external-callee"
    | "arity"
    | "unknown-argument"
    | "argument-kind"
    | "unknown-statement"
    | "foreign-call"
    | "ignored-statement"
    | "read-before-write"
    | "no-output"
    | "argument-order"
    | "output-unwritten"
    | "output-rewritten"
    | "input-overwritten"
    | "constant-overwritten"
    | "unread-value"
    | "unused-input"
    | "unused-kernel"
    | "size-mismatch"
    | "storage-too-small"
    | "storage-overlap"
    | "io-mismatch"
    | "header-size"
    | "decided-by-c"
    | "unreadable-c"
    | "second-opinion";
  severity: "error" | "warning" | "note";
  detail: string;
  call: IdOrNull;
  value: IdOrNull;
}
