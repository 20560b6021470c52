// Made by make/types.mjs from schemas/report.schema.json.

/**
 * An exact number, its bounds, or null: unknown. Reasons are in `uncertain` of the same object.
 */
export type Count =
  | number
  | {
      min: number;
      max: number | null;
    }
  | null;
/**
 * Why numbers are not exact, one sentence each.
 */
export type Reasons = string[];
export type Functions = {
  symbol: string;
  bytes: number;
  frame: number | null;
}[];

export interface Report {
  format: "mlf-report";
  version: 1;
  generator: string;
  origin: Origin;
  /**
   * @minItems 1
   */
  modules: [Module, ...Module[]];
  totals: Total[];
}
/**
 * What the document was made from: the same in all documents, see schemas/README.md.
 */
export interface Origin {
  /**
   * The command line; null: none wrote the document.
   */
  command: string | null;
  archives: {
    /**
     * Without directories.
     */
    name: string;
    /**
     * Of the file; null: a directory or a stream.
     */
    sha256: string | null;
    /**
     * Of the Model Library Format.
     */
    version: number;
    /**
     * Members that modules, TIR and networks were read from.
     */
    members: Digest[];
    /**
     * TIR beside the archive.
     */
    files: Digest[];
  }[];
}
export interface Digest {
  name: string;
  sha256: string;
}
export interface Module {
  name: string;
  /**
   * Why there are no calls; null where there are.
   */
  no_network: string | null;
  /**
   * multiply-accumulates of all calls
   */
  mac: Count;
  ram: Ram;
  /**
   * Memory of other devices; missing where there are none.
   *
   * @minItems 1
   */
  devices?: [Device, ...Device[]];
  flash: Flash;
  compiled: Compiled | null;
  objects?: Objects;
  peak: Peak;
  time?: Time;
  calls: Call[];
  kernels: Kernel[];
  findings: Finding[];
  uncertain: Reasons;
  /**
   * Statements of the archive about the module that cannot all be true. If there are any, mlf check treats no number as an upper bound.
   */
  contradictions: Contradiction[];
}
/**
 * Bytes of memory that can be written.
 */
export interface Ram {
  /**
   * bytes of workspace pools
   */
  pools: Count;
  /**
   * bytes of inputs and outputs that the caller allocates
   */
  io: Count;
  /**
   * bytes of the graph executor's storage
   */
  executor: Count;
  /**
   * bytes of heap, from TVMBackendAllocWorkspace
   */
  heap: Count;
  /**
   * bytes of arrays on the stack
   */
  stack: Count;
  /**
   * bytes of packed arguments: arrays for arguments of packed calls
   */
  arguments: Count;
  /**
   * bytes of stack frames, measured by the compiler
   */
  frames: Count;
  uncertain: Reasons;
}
/**
 * Bytes of memory of a device that can be written.
 */
export interface Device {
  /**
   * DLDeviceType of TVM
   */
  device: number;
  /**
   * bytes of inputs and outputs that the caller allocates
   */
  io: Count;
  /**
   * bytes of the graph executor's storage
   */
  executor: Count;
  /**
   * bytes of heap, from TVMBackendAllocWorkspace
   */
  heap: Count;
  /**
   * bytes of arrays on the stack
   */
  stack: Count;
  uncertain: Reasons;
}
/**
 * Bytes of memory that is only read.
 */
export interface Flash {
  /**
   * bytes of constants
   */
  constants: Count;
  /**
   * bytes of metadata copies: constants in strings of get_c_metadata
   */
  copies: Count;
  /**
   * bytes of code sections, measured by the compiler
   */
  code: Count;
  uncertain: Reasons;
}
/**
 * Bytes of the sections of the module's object files, by the user's compiler.
 */
export interface Compiled {
  text: Count;
  rodata: Count;
  data: Count;
  bss: Count;
  functions: Functions;
}
/**
 * The content of the archive's object files, which may not be all code of the module.
 */
export interface Objects {
  text: number;
  rodata: number;
  data: number;
  bss: number;
  functions: Functions;
  main: string | null;
  main_calls: string[];
}
/**
 * The time at which pools, executor, heap and stack together have the most bytes in use.
 */
export interface Peak {
  call: number | null;
  /**
   * bytes in use at the peak
   */
  bytes: Count;
  /**
   * bytes that the order of calls needs at any offsets
   */
  lower_bound: Count;
  /**
   * bytes allocated at the present offsets, including gaps
   */
  used: Count;
  live: Live[];
}
export interface Live {
  name: string;
  role: "input" | "output" | "in_out" | "scratch" | "held";
  memory: "pool" | "executor" | "heap" | "stack";
  bytes: number | null;
}
/**
 * Numbers of a profile, where one was given.
 */
export interface Time {
  /**
   * instructions of all calls, by a profile
   */
  instructions: Count;
  /**
   * cycles of all calls, by a profile
   */
  cycles: Count;
  /**
   * nanoseconds of all calls, by a profile
   */
  nanoseconds: Count;
  /**
   * What counted or measured them.
   */
  origin: string;
  /**
   * Whether nanoseconds follow from assumed cycles per instruction.
   */
  assumed: boolean;
}
export interface Call {
  kernel: string;
  layer: string | null;
  dtype: string | null;
  shape: number[] | null;
  /**
   * multiply-accumulates
   */
  mac: Count;
  /**
   * bytes loaded
   */
  loaded: Count;
  /**
   * bytes stored
   */
  stored: Count;
  /**
   * bytes of constants read
   */
  parameters: Count;
  /**
   * bytes of the kernel's own workspaces
   */
  scratch: Count;
  /**
   * bytes in use while it runs
   */
  live: Count;
  /**
   * instructions, by a profile
   */
  instructions?: Count;
  /**
   * cycles, by a profile
   */
  cycles?: Count;
  /**
   * nanoseconds, by a profile
   */
  nanoseconds?: Count;
  c: Lines | null;
  tir: Lines | null;
  relay: Lines | null;
  uncertain: Reasons;
}
/**
 * Lines of a member, both included, counted from 1.
 */
export interface Lines {
  file: string;
  first_line: number;
  last_line: number;
}
export interface Kernel {
  symbol: string;
  source: string | null;
  target: string | null;
  c: Lines | null;
  tir: Lines | null;
  code: number | null;
  frame: number | null;
  mac: Count;
  loaded: Count;
  stored: Count;
  index_operations: Count;
  index_divisions: Count;
  float_operations: Count;
  operations: Operation[];
  buffers: Buffer[];
  loops: Loop[];
  extern_calls: ExternCall[];
  uncertain: Reasons;
}
export interface Operation {
  operation: string;
  dtype: string;
  count: Count;
}
export interface Buffer {
  name: string;
  role: "input" | "output" | "in_out" | "weights" | "workspace" | "unused" | "unknown";
  loads: Count;
  stores: Count;
  bytes_loaded: Count;
  bytes_stored: Count;
}
export interface Loop {
  variable: string;
  depth: number;
  extent: Count;
  iterations: Count;
  mac: Count;
}
export interface ExternCall {
  symbol: string;
  count: Count;
}
/**
 * An avoidable cost or a defect. `bytes`: the largest possible saving; null if the finding is not about bytes. `share`, with a profile: the part that its kernel has of what all calls take.
 */
export interface Finding {
  code:
    | "constants-twice"
    | "metadata-copies"
    | "writable-constants"
    | "widened-weights"
    | "uniform-constant"
    | "padding-scratch"
    | "index-divisions"
    | "half-in-c"
    | "unused-kernel"
    | "unused-parameter"
    | "unused-constant"
    | "unused-pool"
    | "unvectorized-kernel"
    | "untiled-kernel"
    | "recomputed";
  where: string;
  bytes: Count;
  evidence: string;
  share?: Ratio;
}
/**
 * A part, 0 to 1, of what all calls take: its bounds. An unknown `max` is null.
 */
export interface Ratio {
  min: number;
  max: number | null;
}
export interface Contradiction {
  /**
   * A check of the network with severity error, or metadata-too-small, c-invalid or missing-main, as mlf verify --json has them
   */
  code: string;
  detail: string;
}
/**
 * What a module needs of a resource of `mlf check`; module `*`: all together, where pools may be shared.
 */
export interface Total {
  module: string;
  resource: "ram" | "flash";
  needed: Count;
  /**
   * What would make it exact.
   */
  missing: string[];
}
