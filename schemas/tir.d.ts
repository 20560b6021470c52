// Types of src/tir-N.json, made of tir.schema.json by tests/e2e/generated_types.py --update

export type Sha256 = string;
export type Target = UnparsedTarget | ParsedTarget;
export type TargetValue = boolean | number | string | TargetValue[];
export type Attrs = ObjectReference | AttrsMap | null;
export type Id = number;
export type ValueOrNull = Value | null;
export type Value = string | ValueOrNull[] | ValueNode | Reference;
export type ValueNode =
  | VarReference
  | ExprReference
  | IntImm
  | FloatImm
  | StringImm
  | Cast
  | Add
  | Sub
  | Mul
  | Div
  | Mod
  | FloorDiv
  | FloorMod
  | Min
  | Max
  | EQ
  | NE
  | LT
  | LE
  | GT
  | GE
  | And
  | Or
  | Not
  | Select
  | Load
  | BufferLoad
  | ProducerLoad
  | Ramp
  | Broadcast
  | Let
  | Call
  | Shuffle
  | Reduce
  | Any
  | OpaqueExpr
  | PrimType
  | PointerType
  | TupleType
  | FuncType
  | TensorType
  | TypeVar
  | GlobalTypeVar
  | IncompleteType
  | Range
  | IterVar
  | BufferRegion
  | MatchBufferRegion
  | CommReducer
  | BoxInt
  | BoxFloat
  | BoxBool
  | StringMap
  | ObjectMap
  | ShapeTuple;
export type Dtype = string;
export type Integer64 = string;
export type Real = number | ("inf" | "-inf" | "nan" | "-nan");
export type Expr = ObjectReference | ExprNode;
export type ExprNode =
  | VarReference
  | ExprReference
  | IntImm
  | FloatImm
  | StringImm
  | Cast
  | Add
  | Sub
  | Mul
  | Div
  | Mod
  | FloorDiv
  | FloorMod
  | Min
  | Max
  | EQ
  | NE
  | LT
  | LE
  | GT
  | GE
  | And
  | Or
  | Not
  | Select
  | Load
  | BufferLoad
  | ProducerLoad
  | Ramp
  | Broadcast
  | Let
  | Call
  | Shuffle
  | Reduce
  | Any
  | OpaqueExpr;
export type Callee = string | ObjectReference | GlobalVarReference;
export type Type = ObjectReference | TypeNode;
export type TypeNode =
  PrimType | PointerType | TupleType | FuncType | TensorType | TypeVar | GlobalTypeVar | IncompleteType;
export type Reference =
  | ObjectReference
  | ConstantReference
  | BufferReference
  | OpReference
  | GlobalVarReference
  | FunctionReference
  | StmtsReference;
/**
 * @minItems 1
 */
export type Stmts = [Stmt, ...Stmt[]];
export type Stmt =
  | LetStmt
  | AttrStmt
  | AssertStmt
  | Store
  | BufferStore
  | BufferRealize
  | ProducerStore
  | ProducerRealize
  | Allocate
  | AllocateConst
  | DeclBuffer
  | SeqStmt
  | IfThenElse
  | Evaluate
  | For
  | While
  | Prefetch
  | Block
  | BlockRealize
  | OpaqueStmt;
export type Constant = InlineConstant | FileConstant;
export type ObjectEntry =
  | PrimFuncObject
  | IRModuleObject
  | GlobalVarObject
  | PrimTypeObject
  | PointerTypeObject
  | TupleTypeObject
  | FuncTypeObject
  | TensorTypeObject
  | TypeVarObject
  | GlobalTypeVarObject
  | IncompleteTypeObject
  | BoxIntObject
  | BoxFloatObject
  | BoxBoolObject
  | ArrayObject
  | StringMapObject
  | ObjectMapObject
  | ShapeTupleObject
  | DictAttrsObject
  | EnvFuncObject
  | SourceNameObject
  | RuntimeModuleObject
  | SpanObject
  | SequentialSpanObject
  | SourceMapObject
  | SourceObject
  | TargetObject
  | TargetKindObject
  | VirtualDeviceObject
  | SEScopeObject
  | ExecutorObject
  | RuntimeObject
  | PoolInfoObject
  | WorkspacePoolInfoObject
  | ConstantPoolInfoObject
  | PoolInfoPropertiesObject
  | ConstantInfoObject
  | WorkspaceMemoryPoolsObject
  | ConstantMemoryPoolsObject
  | AllocatedPoolInfoObject
  | BufferInfoObject
  | PoolAllocationObject
  | LinkedParamObject
  | TensorIntrinObject
  | IndexMapObject
  | LayoutObject
  | TensorObject
  | PlaceholderOpObject
  | ComputeOpObject
  | ExternOpObject
  | RelayFunctionObject
  | RelayIdObject
  | RelayVarObject
  | RelayConstantObject
  | RelayTupleObject
  | RelayTupleGetItemObject
  | RelayCallObject
  | RelayLetObject
  | RelayIfObject
  | CallLoweredAttrsObject
  | OnDeviceAttrsObject
  | FunctionInfoObject
  | OpaqueObject
  | MissingObjectObject;
export type BufferMap = BufferMapEntry[];
export type ModuleFunction = PrimFunc | OtherFunction;

/**
 * TIR of one module, as mlf writes it: tir-N.json. The specification is tir.md beside this file. Made from include/mlf/tir/nodes.def; do not edit.
 */
export interface TirDocument {
  format: "mlf-tir";
  version: 1;
  generator: string;
  source: Source;
  target: Target | null;
  attrs: Attrs;
  losses: Loss[];
  constants: Constant[];
  vars: Variable[];
  buffers: Buffer[];
  exprs: Expr[];
  objects: ObjectEntry[];
  functions: ModuleFunction[];
  type_definitions?: Value;
  global_type_var_map_?: Value;
  source_map?: Value;
  global_infos?: Value;
  span?: ObjectReference;
  imported_c?: ImportedC[];
}
export interface Source {
  member: string;
  dialect: "save_json" | "tvmscript" | "legacy_text" | "tir_json" | "old_tvmscript" | "c";
  stage: string;
  tvm_version: TvmVersion;
  sha256: Sha256;
}
export interface TvmVersion {
  first: string;
  last: string;
  exact?: string;
}
export interface UnparsedTarget {
  text: string;
}
export interface ParsedTarget {
  text: string;
  kind: string;
  tag: string;
  keys: string[];
  attrs: {
    [k: string]: TargetValue;
  };
  device_type: number | null;
  host: Target | null;
}
export interface ObjectReference {
  object: Id;
}
export interface AttrsMap {
  [k: string]: ValueOrNull;
}
export interface VarReference {
  node: "Var";
  dtype: Dtype;
  var: Id;
}
export interface ExprReference {
  node: "ExprRef";
  dtype: Dtype;
  expr: Id;
}
export interface IntImm {
  node: "IntImm";
  dtype: Dtype;
  value: number | Integer64;
  span?: ObjectReference;
}
export interface FloatImm {
  node: "FloatImm";
  dtype: Dtype;
  value: Real;
  span?: ObjectReference;
}
export interface StringImm {
  node: "StringImm";
  dtype: Dtype;
  value: string;
  span?: ObjectReference;
}
export interface Cast {
  node: "Cast";
  dtype: Dtype;
  value: Expr;
  span?: ObjectReference;
}
export interface Add {
  node: "Add";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface Sub {
  node: "Sub";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface Mul {
  node: "Mul";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface Div {
  node: "Div";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface Mod {
  node: "Mod";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface FloorDiv {
  node: "FloorDiv";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface FloorMod {
  node: "FloorMod";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface Min {
  node: "Min";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface Max {
  node: "Max";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface EQ {
  node: "EQ";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface NE {
  node: "NE";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface LT {
  node: "LT";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface LE {
  node: "LE";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface GT {
  node: "GT";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface GE {
  node: "GE";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface And {
  node: "And";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface Or {
  node: "Or";
  dtype: Dtype;
  a: Expr;
  b: Expr;
  span?: ObjectReference;
}
export interface Not {
  node: "Not";
  dtype: Dtype;
  a: Expr;
  span?: ObjectReference;
}
export interface Select {
  node: "Select";
  dtype: Dtype;
  condition: Expr;
  true_value: Expr;
  false_value: Expr;
  span?: ObjectReference;
}
export interface Load {
  node: "Load";
  dtype: Dtype;
  buffer_var: Id;
  index: Expr;
  predicate: Expr;
  span?: ObjectReference;
}
export interface BufferLoad {
  node: "BufferLoad";
  dtype: Dtype;
  buffer: Id;
  indices: Expr[];
  predicate?: Expr | null;
  span?: ObjectReference;
}
export interface ProducerLoad {
  node: "ProducerLoad";
  dtype: Dtype;
  producer: Value;
  indices: Expr[];
  span?: ObjectReference;
}
export interface Ramp {
  node: "Ramp";
  dtype: Dtype;
  base: Expr;
  stride: Expr;
  lanes: Expr;
  span?: ObjectReference;
}
export interface Broadcast {
  node: "Broadcast";
  dtype: Dtype;
  value: Expr;
  lanes: Expr;
  span?: ObjectReference;
}
export interface Let {
  node: "Let";
  dtype: Dtype;
  var: Id;
  value: Expr;
  body: Expr;
  span?: ObjectReference;
}
export interface Call {
  node: "Call";
  dtype: Dtype;
  op: Callee;
  args: Expr[];
  span?: ObjectReference;
}
export interface GlobalVarReference {
  global_var: string;
}
export interface Shuffle {
  node: "Shuffle";
  dtype: Dtype;
  vectors: Expr[];
  indices: Expr[];
  span?: ObjectReference;
}
export interface Reduce {
  node: "Reduce";
  dtype: Dtype;
  combiner: CommReducer;
  source: Expr[];
  init: Expr[] | null;
  axis: IterVar[];
  condition: Expr | null;
  value_index: number;
  span?: ObjectReference;
}
export interface CommReducer {
  node: "CommReducer";
  lhs: Id[];
  rhs: Id[];
  result: Expr[];
  identity_element: Expr[];
  span?: ObjectReference;
}
export interface IterVar {
  node: "IterVar";
  dom: Range | null;
  var: Id;
  iter_type:
    | "DataPar"
    | "ThreadIndex"
    | "CommReduce"
    | "Ordered"
    | "Opaque"
    | "Unrolled"
    | "Vectorized"
    | "Parallelized"
    | "Tensorized";
  thread_tag: string;
  span?: ObjectReference;
}
export interface Range {
  node: "Range";
  min: Expr;
  extent: Expr;
  span?: ObjectReference;
}
export interface Any {
  node: "Any";
  dtype: Dtype;
  span?: ObjectReference;
}
export interface OpaqueExpr {
  node: "OpaqueExpr";
  dtype: Dtype;
  type_key: string;
  fields: {
    [k: string]: ValueOrNull;
  };
  span?: ObjectReference;
}
export interface PrimType {
  node: "PrimType";
  dtype: Dtype;
  span?: ObjectReference;
}
export interface PointerType {
  node: "PointerType";
  element_type: Type;
  storage_scope: string;
  span?: ObjectReference;
}
export interface TupleType {
  node: "TupleType";
  fields: Type[];
  span?: ObjectReference;
}
export interface FuncType {
  node: "FuncType";
  arg_types: Type[];
  ret_type: Type;
  type_params: Type[];
  type_constraints: ValueOrNull[];
  span?: ObjectReference;
}
export interface TensorType {
  node: "TensorType";
  shape: Expr[];
  dtype: Dtype;
  span?: ObjectReference;
}
export interface TypeVar {
  node: "TypeVar";
  name_hint: string;
  kind: number;
  span?: ObjectReference;
}
export interface GlobalTypeVar {
  node: "GlobalTypeVar";
  name_hint: string;
  kind: number;
  span?: ObjectReference;
}
export interface IncompleteType {
  node: "IncompleteType";
  kind: number;
  span?: ObjectReference;
}
export interface BufferRegion {
  node: "BufferRegion";
  buffer: Id;
  region: Range[];
  span?: ObjectReference;
}
export interface MatchBufferRegion {
  node: "MatchBufferRegion";
  buffer: Id;
  source: BufferRegion;
  span?: ObjectReference;
}
export interface BoxInt {
  node: "BoxInt";
  value: Integer64;
  span?: ObjectReference;
}
export interface BoxFloat {
  node: "BoxFloat";
  value: Real;
  span?: ObjectReference;
}
export interface BoxBool {
  node: "BoxBool";
  value: boolean;
  span?: ObjectReference;
}
export interface StringMap {
  node: "StringMap";
  entries: {
    [k: string]: ValueOrNull;
  };
  span?: ObjectReference;
}
export interface ObjectMap {
  node: "ObjectMap";
  entries: [unknown, unknown][];
  span?: ObjectReference;
}
export interface ShapeTuple {
  node: "ShapeTuple";
  values: Integer64[];
  span?: ObjectReference;
}
export interface ConstantReference {
  constant: Id;
}
export interface BufferReference {
  buffer: Id;
}
export interface OpReference {
  op: string;
}
export interface FunctionReference {
  function: string;
}
export interface StmtsReference {
  statements: Stmts;
}
export interface LetStmt {
  node: "LetStmt";
  scope: Id;
  var: Id;
  value: Expr;
  span?: ObjectReference;
}
export interface AttrStmt {
  node: "AttrStmt";
  scope: Id;
  attr_node: Value | null;
  attr_key: string;
  value: Expr;
  span?: ObjectReference;
}
export interface AssertStmt {
  node: "AssertStmt";
  scope: Id;
  condition: Expr;
  message: Expr;
  span?: ObjectReference;
}
export interface Store {
  node: "Store";
  buffer_var: Id;
  value: Expr;
  index: Expr;
  predicate: Expr;
  span?: ObjectReference;
}
export interface BufferStore {
  node: "BufferStore";
  buffer: Id;
  value: Expr;
  indices: Expr[];
  predicate?: Expr | null;
  span?: ObjectReference;
}
export interface BufferRealize {
  node: "BufferRealize";
  scope: Id;
  buffer: Id;
  bounds: Range[];
  condition: Expr;
  span?: ObjectReference;
}
export interface ProducerStore {
  node: "ProducerStore";
  producer: Value;
  value: Expr;
  indices: Expr[];
  span?: ObjectReference;
}
export interface ProducerRealize {
  node: "ProducerRealize";
  scope: Id;
  producer: Value;
  bounds: Range[];
  condition: Expr;
  storage_scope: string | null;
  span?: ObjectReference;
}
export interface Allocate {
  node: "Allocate";
  scope: Id;
  buffer_var: Id;
  dtype: Dtype;
  extents: Expr[];
  condition: Expr;
  annotations: {
    [k: string]: ValueOrNull;
  } | null;
  span?: ObjectReference;
}
export interface AllocateConst {
  node: "AllocateConst";
  scope: Id;
  buffer_var: Id;
  data: (Id | ObjectReference) | null;
  irmod_storage_idx: Expr | null;
  dtype: Dtype;
  extents: Expr[];
  annotations: {
    [k: string]: ValueOrNull;
  } | null;
  span?: ObjectReference;
}
export interface DeclBuffer {
  node: "DeclBuffer";
  scope: Id;
  buffer: Id;
  span?: ObjectReference;
}
export interface SeqStmt {
  node: "SeqStmt";
  scope: Id;
  span?: ObjectReference;
}
export interface IfThenElse {
  node: "IfThenElse";
  condition: Expr;
  then_case: Stmts;
  else_case: Stmts | null;
  span?: ObjectReference;
}
export interface Evaluate {
  node: "Evaluate";
  value: Expr;
  span?: ObjectReference;
}
export interface For {
  node: "For";
  loop_var: Id;
  min: Expr;
  extent: Expr;
  kind: "serial" | "parallel" | "vectorized" | "unrolled" | "thread_binding";
  body: Stmts;
  thread_binding: IterVar | null;
  annotations: {
    [k: string]: ValueOrNull;
  };
  span?: ObjectReference;
}
export interface While {
  node: "While";
  condition: Expr;
  body: Stmts;
  span?: ObjectReference;
}
export interface Prefetch {
  node: "Prefetch";
  buffer: Id;
  bounds: Range[];
  span?: ObjectReference;
}
export interface Block {
  node: "Block";
  iter_vars: IterVar[];
  reads: BufferRegion[];
  writes: BufferRegion[];
  name_hint: string;
  body: Stmts;
  init: Stmts | null;
  alloc_buffers: Id[];
  match_buffers: MatchBufferRegion[];
  annotations: {
    [k: string]: ValueOrNull;
  } | null;
  span?: ObjectReference;
}
export interface BlockRealize {
  node: "BlockRealize";
  iter_values: Expr[];
  predicate: Expr;
  block: Stmts;
  span?: ObjectReference;
}
export interface OpaqueStmt {
  node: "OpaqueStmt";
  type_key: string;
  fields: {
    [k: string]: ValueOrNull;
  };
  span?: ObjectReference;
}
export interface Loss {
  code:
    | "module-attrs"
    | "module-extras"
    | "attr-object"
    | "pool-name"
    | "target-details"
    | "value-kind"
    | "map-order"
    | "name-hint"
    | "hidden-param"
    | "data-var"
    | "size-var"
    | "var-type"
    | "buffer-fields"
    | "buffer-defaults"
    | "implied-dtype"
    | "loop-extent"
    | "loop-annotations"
    | "thread-binding"
    | "thread-iter-var"
    | "constant-data"
    | "constant-fields"
    | "pointer-scope"
    | "predicate"
    | "else-branch"
    | "seq-nesting"
    | "root-block"
    | "block-regions"
    | "producer-scope"
    | "producer"
    | "reduce-fields"
    | "call-dtype"
    | "expr-form"
    | "llvm-intrinsic"
    | "float-digits"
    | "glued-constant"
    | "string-escape"
    | "global-symbol"
    | "shared-var"
    | "ret-type"
    | "span"
    | "opaque-fields"
    | "checked-type"
    | "foreign-function"
    | "undefined-name"
    | "function-attrs"
    | "buffer-shape"
    | "loop-kind"
    | "dropped-statement"
    | "constant-place"
    | "expanded-op"
    | "undefined-list"
    | "npu-commands"
    | "unknown-construct";
  severity: "semantic" | "approximate" | "cosmetic";
  scope: "everywhere" | "module" | "function";
  fields: string[];
  subject: string | null;
  places: LossPlace[];
}
export interface LossPlace {
  function: string | null;
  name: string | null;
  count: number;
}
export interface InlineConstant {
  id: Id;
  dtype: Dtype;
  shape: number[];
  bytes: Id;
  sha256: Sha256 | null;
  data: string | null;
  recovered?: string;
}
export interface FileConstant {
  id: Id;
  dtype: Dtype;
  shape: number[];
  bytes: Id;
  sha256: Sha256 | null;
  file: string;
  recovered?: string;
}
export interface Variable {
  id: Id;
  name: string;
  node: "Var" | "SizeVar";
  dtype: Dtype;
  type_annotation: Type | null;
  name_hint?: string;
  span?: ObjectReference;
}
export interface Buffer {
  id: Id;
  name: string;
  data: Id;
  dtype: Dtype;
  shape: Expr[];
  strides: Expr[];
  elem_offset: Expr | null;
  data_alignment: number;
  offset_factor: number;
  buffer_type: "default" | "auto";
  axis_separators?: Expr[] | null;
  span?: ObjectReference;
  name_hint?: string;
}
export interface PrimFuncObject {
  id: Id;
  node: "PrimFunc";
  attrs: Attrs;
  ret_type: Type;
  vars: Variable[];
  buffers: Buffer[];
  params: Id[];
  buffer_map: BufferMap;
  exprs: Expr[];
  body: Stmts;
  preflattened_buffer_map?: BufferMap;
  span?: ObjectReference;
}
export interface BufferMapEntry {
  param: Id;
  buffer: Id;
}
export interface IRModuleObject {
  id: Id;
  node: "IRModule";
  functions: [unknown, unknown][];
  type_definitions: Value | null;
  global_type_var_map_: Value | null;
  source_map: Value | null;
  attrs: Value | null;
  global_infos?: Value | null;
  span?: ObjectReference;
}
export interface GlobalVarObject {
  id: Id;
  node: "GlobalVar";
  name_hint: string;
  _checked_type_: Type | null;
  virtual_device_?: Value | null;
  struct_info_?: Value | null;
  span?: ObjectReference;
}
export interface PrimTypeObject {
  id: Id;
  node: "PrimType";
  dtype: Dtype;
  span?: ObjectReference;
}
export interface PointerTypeObject {
  id: Id;
  node: "PointerType";
  element_type: Type;
  storage_scope: string;
  span?: ObjectReference;
}
export interface TupleTypeObject {
  id: Id;
  node: "TupleType";
  fields: Type[];
  span?: ObjectReference;
}
export interface FuncTypeObject {
  id: Id;
  node: "FuncType";
  arg_types: Type[];
  ret_type: Type;
  type_params: Type[];
  type_constraints: ValueOrNull[];
  span?: ObjectReference;
}
export interface TensorTypeObject {
  id: Id;
  node: "TensorType";
  shape: Expr[];
  dtype: Dtype;
  span?: ObjectReference;
}
export interface TypeVarObject {
  id: Id;
  node: "TypeVar";
  name_hint: string;
  kind: number;
  span?: ObjectReference;
}
export interface GlobalTypeVarObject {
  id: Id;
  node: "GlobalTypeVar";
  name_hint: string;
  kind: number;
  span?: ObjectReference;
}
export interface IncompleteTypeObject {
  id: Id;
  node: "IncompleteType";
  kind: number;
  span?: ObjectReference;
}
export interface BoxIntObject {
  id: Id;
  node: "BoxInt";
  value: Integer64;
  span?: ObjectReference;
}
export interface BoxFloatObject {
  id: Id;
  node: "BoxFloat";
  value: Real;
  span?: ObjectReference;
}
export interface BoxBoolObject {
  id: Id;
  node: "BoxBool";
  value: boolean;
  span?: ObjectReference;
}
export interface ArrayObject {
  id: Id;
  node: "Array";
  elements: ValueOrNull[];
  span?: ObjectReference;
}
export interface StringMapObject {
  id: Id;
  node: "StringMap";
  entries: {
    [k: string]: ValueOrNull;
  };
  span?: ObjectReference;
}
export interface ObjectMapObject {
  id: Id;
  node: "ObjectMap";
  entries: [unknown, unknown][];
  span?: ObjectReference;
}
export interface ShapeTupleObject {
  id: Id;
  node: "ShapeTuple";
  values: Integer64[];
  span?: ObjectReference;
}
export interface DictAttrsObject {
  id: Id;
  node: "DictAttrs";
  __dict__: {
    [k: string]: ValueOrNull;
  };
  span?: ObjectReference;
}
export interface EnvFuncObject {
  id: Id;
  node: "EnvFunc";
  name: string;
  span?: ObjectReference;
}
export interface SourceNameObject {
  id: Id;
  node: "SourceName";
  name: string;
  span?: ObjectReference;
}
export interface RuntimeModuleObject {
  id: Id;
  node: "RuntimeModule";
  content: string;
  span?: ObjectReference;
}
export interface SpanObject {
  id: Id;
  node: "Span";
  source_name: Value | null;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  span?: ObjectReference;
}
export interface SequentialSpanObject {
  id: Id;
  node: "SequentialSpan";
  source_name: Value | null;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  spans: ValueOrNull[];
  span?: ObjectReference;
}
export interface SourceMapObject {
  id: Id;
  node: "SourceMap";
  source_map: Value | null;
  span?: ObjectReference;
}
export interface SourceObject {
  id: Id;
  node: "Source";
  source_name: Value | null;
  source: string;
  span?: ObjectReference;
}
export interface TargetObject {
  id: Id;
  node: "Target";
  kind: Value;
  tag: string;
  keys: ValueOrNull[];
  attrs: {
    [k: string]: ValueOrNull;
  };
  host: Value | null;
  features?: Value | null;
  span?: ObjectReference;
}
export interface TargetKindObject {
  id: Id;
  node: "TargetKind";
  name: string;
  device_type?: number | null;
  default_device_type?: number | null;
  default_keys?: ValueOrNull[] | null;
  span?: ObjectReference;
}
export interface VirtualDeviceObject {
  id: Id;
  node: "VirtualDevice";
  device_type_int: number;
  virtual_device_id: number;
  target: Value | null;
  memory_scope: string | null;
  span?: ObjectReference;
}
export interface SEScopeObject {
  id: Id;
  node: "SEScope";
  device_type_int: number;
  virtual_device_id: number;
  target?: Value | null;
  memory_scope?: string | null;
  span?: ObjectReference;
}
export interface ExecutorObject {
  id: Id;
  node: "Executor";
  name: string;
  attrs: Value | null;
  span?: ObjectReference;
}
export interface RuntimeObject {
  id: Id;
  node: "Runtime";
  name: string;
  attrs: Value | null;
  span?: ObjectReference;
}
export interface PoolInfoObject {
  id: Id;
  node: "PoolInfo";
  pool_name: string | null;
  size_hint_bytes: Value | null;
  clock_frequency_hz: Value | null;
  read_bandwidth_bytes_per_cycle: Value | null;
  write_bandwidth_bytes_per_cycle: Value | null;
  read_latency_cycles: Value | null;
  write_latency_cycles: Value | null;
  target_burst_bytes: Value | null;
  is_internal: boolean;
  targets?: ValueOrNull[] | null;
  span?: ObjectReference;
}
export interface WorkspacePoolInfoObject {
  id: Id;
  node: "WorkspacePoolInfo";
  pool_name: string | null;
  size_hint_bytes: Value | null;
  clock_frequency_hz: Value | null;
  read_bandwidth_bytes_per_cycle: Value | null;
  write_bandwidth_bytes_per_cycle: Value | null;
  read_latency_cycles: Value | null;
  write_latency_cycles: Value | null;
  target_burst_bytes: Value | null;
  is_internal: boolean;
  targets?: ValueOrNull[] | null;
  span?: ObjectReference;
}
export interface ConstantPoolInfoObject {
  id: Id;
  node: "ConstantPoolInfo";
  pool_name: string | null;
  size_hint_bytes: Value | null;
  clock_frequency_hz: Value | null;
  read_bandwidth_bytes_per_cycle: Value | null;
  write_bandwidth_bytes_per_cycle: Value | null;
  read_latency_cycles: Value | null;
  write_latency_cycles: Value | null;
  target_burst_bytes: Value | null;
  is_internal: boolean;
  constant_info_array: ValueOrNull[] | null;
  targets?: ValueOrNull[] | null;
  span?: ObjectReference;
}
export interface PoolInfoPropertiesObject {
  id: Id;
  node: "PoolInfoProperties";
  size_hint_bytes: Value | null;
  clock_frequency_hz: Value | null;
  read_bandwidth_bytes_per_cycle: Value | null;
  write_bandwidth_bytes_per_cycle: Value | null;
  read_latency_cycles: Value | null;
  write_latency_cycles: Value | null;
  target_burst_bytes: Value | null;
  is_internal: boolean;
  span?: ObjectReference;
}
export interface ConstantInfoObject {
  id: Id;
  node: "ConstantInfo";
  name_hint: string;
  byte_offset: Value | null;
  data: (Id | ObjectReference) | null;
  span?: ObjectReference;
}
export interface WorkspaceMemoryPoolsObject {
  id: Id;
  node: "WorkspaceMemoryPools";
  pools: ValueOrNull[] | null;
  span?: ObjectReference;
}
export interface ConstantMemoryPoolsObject {
  id: Id;
  node: "ConstantMemoryPools";
  pools: ValueOrNull[] | null;
  span?: ObjectReference;
}
export interface AllocatedPoolInfoObject {
  id: Id;
  node: "AllocatedPoolInfo";
  pool_info: Value | null;
  allocated_size: Value | null;
  pool_var_idx: Value | null;
  span?: ObjectReference;
}
export interface BufferInfoObject {
  id: Id;
  node: "BufferInfo";
  name_hint: string;
  size_bytes: Value | null;
  pool_candidates: ValueOrNull[] | null;
  alignment: Value | null;
  conflicts: ValueOrNull[] | null;
  kind: number;
  span?: ObjectReference;
}
export interface PoolAllocationObject {
  id: Id;
  node: "PoolAllocation";
  pool_info: Value | null;
  byte_offset: Value | null;
  span?: ObjectReference;
}
export interface LinkedParamObject {
  id: Id;
  node: "LinkedParam";
  param_id: number;
  param?: (Id | ObjectReference) | null;
  span?: ObjectReference;
}
export interface TensorIntrinObject {
  id: Id;
  node: "TensorIntrin";
  desc: Value;
  impl: Value;
  span?: ObjectReference;
}
export interface IndexMapObject {
  id: Id;
  node: "IndexMap";
  initial_indices: Id[];
  final_indices: Expr[];
  inverse_index_map?: Value | null;
  span?: ObjectReference;
}
export interface LayoutObject {
  id: Id;
  node: "Layout";
  name: string;
  axes: IterVar[];
  span?: ObjectReference;
}
export interface TensorObject {
  id: Id;
  node: "Tensor";
  shape: Expr[];
  dtype: Dtype;
  op: Value | null;
  value_index: number;
  span?: ObjectReference;
}
export interface PlaceholderOpObject {
  id: Id;
  node: "PlaceholderOp";
  name: string;
  tag: string;
  attrs: Value | null;
  shape: Expr[];
  dtype: Dtype;
  span?: ObjectReference;
}
export interface ComputeOpObject {
  id: Id;
  node: "ComputeOp";
  name: string;
  tag: string;
  attrs: Value | null;
  axis: IterVar[];
  reduce_axis: IterVar[];
  body: Expr[];
  span?: ObjectReference;
}
export interface ExternOpObject {
  id: Id;
  node: "ExternOp";
  name: string;
  tag: string;
  attrs: Value | null;
  inputs: ValueOrNull[];
  input_placeholders: Id[];
  output_placeholders: Id[];
  body: Stmts;
  span?: ObjectReference;
}
export interface RelayFunctionObject {
  id: Id;
  node: "RelayFunction";
  params: ValueOrNull[];
  body: Value;
  ret_type: Type | null;
  type_params: Type[] | null;
  attrs: Value | null;
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface RelayIdObject {
  id: Id;
  node: "RelayId";
  name_hint: string;
  span?: ObjectReference;
}
export interface RelayVarObject {
  id: Id;
  node: "RelayVar";
  vid: Value;
  type_annotation: Type | null;
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface RelayConstantObject {
  id: Id;
  node: "RelayConstant";
  data: (Id | ObjectReference) | null;
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface RelayTupleObject {
  id: Id;
  node: "RelayTuple";
  fields: ValueOrNull[];
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface RelayTupleGetItemObject {
  id: Id;
  node: "RelayTupleGetItem";
  tuple_value: Value;
  index: number;
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface RelayCallObject {
  id: Id;
  node: "RelayCall";
  op: Value;
  args: ValueOrNull[];
  attrs: Value | null;
  type_args: Type[] | null;
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface RelayLetObject {
  id: Id;
  node: "RelayLet";
  var: Value;
  value: Value;
  body: Value;
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface RelayIfObject {
  id: Id;
  node: "RelayIf";
  cond: Value;
  true_branch: Value;
  false_branch: Value;
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface CallLoweredAttrsObject {
  id: Id;
  node: "CallLoweredAttrs";
  metadata: Value | null;
  span?: ObjectReference;
}
export interface OnDeviceAttrsObject {
  id: Id;
  node: "OnDeviceAttrs";
  virtual_device: Value | null;
  constrain_result: boolean;
  constrain_body: boolean;
  span?: ObjectReference;
}
export interface FunctionInfoObject {
  id: Id;
  node: "FunctionInfo";
  workspace_sizes: Value | null;
  io_sizes: Value | null;
  constant_sizes: Value | null;
  tir_primfuncs: Value | null;
  relay_primfuncs: Value | null;
  span?: ObjectReference;
}
export interface OpaqueObject {
  id: Id;
  node: "Opaque";
  type_key: string;
  fields: {
    [k: string]: ValueOrNull;
  };
  keys: ValueOrNull[] | null;
  elements: ValueOrNull[] | null;
  repr: string | null;
  span?: ObjectReference;
}
export interface MissingObjectObject {
  id: Id;
  node: "MissingObject";
  type_key: string;
  index: number;
  span?: ObjectReference;
}
export interface PrimFunc {
  name: string;
  global_symbol: string | null;
  role: "main" | "operator" | "host" | "device";
  attrs: Attrs;
  ret_type: Type;
  vars: Variable[];
  buffers: Buffer[];
  params: Id[];
  buffer_map: BufferMap;
  exprs: Expr[];
  body: Stmts;
  c?: CPlace;
  global_var?: GlobalVar;
  preflattened_buffer_map?: BufferMap;
  span?: ObjectReference;
}
export interface CPlace {
  member: string;
  line: number;
  column: number;
  last_line: number;
}
export interface GlobalVar {
  virtual_device_?: Value;
  _checked_type_?: Type;
  struct_info_?: Value;
  span?: ObjectReference;
}
export interface OtherFunction {
  name: string;
  function: Value;
  global_var?: GlobalVar;
}
export interface ImportedC {
  name: string | null;
  signature: string | null;
  text: string;
}
