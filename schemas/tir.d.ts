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
  | RefType
  | TypeCall
  | TypeRelation
  | TypeData
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
  | PrimType
  | PointerType
  | TupleType
  | FuncType
  | TensorType
  | TypeVar
  | GlobalTypeVar
  | IncompleteType
  | RefType
  | TypeCall
  | TypeRelation
  | TypeData;
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
  | RefTypeObject
  | TypeCallObject
  | TypeRelationObject
  | TypeDataObject
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
  | ScanOpObject
  | HybridOpObject
  | RelayFunctionObject
  | RelayIdObject
  | RelayVarObject
  | RelayConstantObject
  | RelayTupleObject
  | RelayTupleGetItemObject
  | RelayCallObject
  | RelayLetObject
  | RelayIfObject
  | RefCreateObject
  | RefReadObject
  | RefWriteObject
  | MatchObject
  | ClauseObject
  | PatternWildcardObject
  | PatternVarObject
  | PatternConstructorObject
  | PatternTupleObject
  | RelayConstructorObject
  | CallLoweredAttrsObject
  | FunctionInfoObject
  | AdaptivePool1DAttrsObject
  | AdaptivePool2DAttrsObject
  | AdaptivePool3DAttrsObject
  | AffineGridAttrsObject
  | AllClassNonMaximumSuppressionAttrsObject
  | AllocStorageAttrsObject
  | AllocTensorAttrsObject
  | ArangeAttrsObject
  | ArgReduceAttrsObject
  | ArgsortAttrsObject
  | AutoSchedulerLayoutTransformAttrsObject
  | AvgPool1DAttrsObject
  | AvgPool2DAttrsObject
  | AvgPool3DAttrsObject
  | BatchMatmulAttrsObject
  | BatchNormAttrsObject
  | BatchToSpaceNDAttrsObject
  | BiasAddAttrsObject
  | BinaryConv2DAttrsObject
  | BinaryDenseAttrsObject
  | BitPackAttrsObject
  | BroadcastAttrsObject
  | CastAttrsObject
  | CastHintAttrsObject
  | ClipAttrsObject
  | CompilerAttrsObject
  | ConcatenateAttrsObject
  | Conv1DAttrsObject
  | Conv1DTransposeAttrsObject
  | Conv2DAttrsObject
  | Conv2DTransposeAttrsObject
  | Conv2DWinogradAttrsObject
  | Conv2DWinogradNNPACKWeightTransformAttrsObject
  | Conv3DAttrsObject
  | Conv3DTransposeAttrsObject
  | Conv3DWinogradAttrsObject
  | ConvGemmWeightTransformAttrsObject
  | ConvWinogradWeightTransformAttrsObject
  | CorrelationAttrsObject
  | CropAndResizeAttrsObject
  | DFTAttrsObject
  | DebugAttrsObject
  | DeformableConv2DAttrsObject
  | DenseAttrsObject
  | DensePackAttrsObject
  | DequantizeAttrsObject
  | DeviceCopyAttrsObject
  | DilateAttrsObject
  | Dilation2DAttrsObject
  | DropoutAttrsObject
  | DynExpandDimsAttrsObject
  | EinsumAttrsObject
  | EthosuBinaryElementwiseAttrsObject
  | EthosuConv2DAttrsObject
  | EthosuDepthwiseConv2DAttrsObject
  | EthosuIdentityAttrsObject
  | EthosuPoolingAttrsObject
  | EthosuUnaryElementwiseAttrsObject
  | ExpandDimsAttrsObject
  | FIFOBufferAttrsObject
  | FixedPointMultiplyAttrsObject
  | FixedPointMultiplyPerAxisAttrsObject
  | GatherAttrsObject
  | GatherNDAttrsObject
  | GetValidCountsAttrsObject
  | GlobalPool2DAttrsObject
  | GridSampleAttrsObject
  | GroupNormAttrsObject
  | InitOpAttrsObject
  | InstanceNormAttrsObject
  | L2NormalizeAttrsObject
  | LRNAttrsObject
  | LayerNormAttrsObject
  | LayoutTransformAttrsObject
  | LeakyReluAttrsObject
  | MatmulAttrsObject
  | MatrixSetDiagAttrsObject
  | MaxPool1DAttrsObject
  | MaxPool2DAttrsObject
  | MaxPool3DAttrsObject
  | MeshgridAttrsObject
  | MetaRefAttrsObject
  | MetaScheduleLayoutTransformAttrsObject
  | MirrorPadAttrsObject
  | MultiBoxPriorAttrsObject
  | MultiBoxTransformLocAttrsObject
  | MultinomialAttrsObject
  | NLLLossAttrsObject
  | NdarraySizeAttrsObject
  | NonMaximumSuppressionAttrsObject
  | NormalAttrsObject
  | OnDeviceAttrsObject
  | OneHotAttrsObject
  | PReluAttrsObject
  | PadAttrsObject
  | ProposalAttrsObject
  | QuantizeAttrsObject
  | ROIAlignAttrsObject
  | ROIPoolAttrsObject
  | ReduceAttrsObject
  | RegularNonMaximumSuppressionAttrsObject
  | RepeatAttrsObject
  | RequantizeAttrsObject
  | ReshapeAttrsObject
  | ReshapeLikeAttrsObject
  | ReshapeTensorAttrsObject
  | Resize1DAttrsObject
  | Resize2DAttrsObject
  | Resize3DAttrsObject
  | ReverseAttrsObject
  | ReverseSequenceAttrsObject
  | ScanopAttrsObject
  | ScatterAddAttrsObject
  | ScatterAttrsObject
  | ScatterElementsAttrsObject
  | ScatterNDAttrsObject
  | SearchSortedAttrsObject
  | SequenceMaskAttrsObject
  | ShapeFuncAttrsObject
  | ShapeOfAttrsObject
  | SliceLikeAttrsObject
  | SlidingWindowAttrsObject
  | SoftmaxAttrsObject
  | SpaceToBatchNDAttrsObject
  | SparseConv2DAttrsObject
  | SparseDenseAttrsObject
  | SparseToDenseAttrsObject
  | SparseTransposeAttrsObject
  | SplitAttrsObject
  | SqueezeAttrsObject
  | StackAttrsObject
  | StftAttrsObject
  | StridedSliceAttrsObject
  | SubPixelAttrsObject
  | TakeAttrsObject
  | ThreefryGenerateAttrsObject
  | TileAttrsObject
  | TopkAttrsObject
  | TorchFunctionAttrsObject
  | TransposeAttrsObject
  | TriluAttrsObject
  | TupleGetItemAttrsObject
  | UniformAttrsObject
  | UniqueAttrsObject
  | UpSampling3DAttrsObject
  | UpSamplingAttrsObject
  | VarianceAttrsObject
  | WithFuncIdAttrsObject
  | YoloReorgAttrsObject
  | HoistExpressionConfigObject
  | HoistIfThenElseConfigObject
  | InjectDoubleBufferConfigObject
  | LoopPartitionConfigObject
  | ReduceBranchingThroughOvercomputeConfigObject
  | RemoveNoOpConfigObject
  | SimplifyConfigObject
  | UnrollLoopConfigObject
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
  global_var_map_?: Value;
  source_nodes?: StringMap;
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
  id?: Id;
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
  id?: Id;
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
export interface RefType {
  node: "RefType";
  value: Type;
  span?: ObjectReference;
}
export interface TypeCall {
  node: "TypeCall";
  func: Type;
  args: Type[];
  span?: ObjectReference;
}
export interface TypeRelation {
  node: "TypeRelation";
  func: Value;
  args: Type[];
  num_inputs: number;
  attrs: Value | null;
  span?: ObjectReference;
}
export interface TypeData {
  node: "TypeData";
  header: Type;
  type_vars: Type[];
  constructors: ValueOrNull[];
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
  _checked_type_?: Type;
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
  global_var_map_: Value | null;
  global_infos?: Value | null;
  source_nodes?: Value | null;
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
export interface RefTypeObject {
  id: Id;
  node: "RefType";
  value: Type;
  span?: ObjectReference;
}
export interface TypeCallObject {
  id: Id;
  node: "TypeCall";
  func: Type;
  args: Type[];
  span?: ObjectReference;
}
export interface TypeRelationObject {
  id: Id;
  node: "TypeRelation";
  func: Value;
  args: Type[];
  num_inputs: number;
  attrs: Value | null;
  span?: ObjectReference;
}
export interface TypeDataObject {
  id: Id;
  node: "TypeData";
  header: Type;
  type_vars: Type[];
  constructors: ValueOrNull[];
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
export interface ScanOpObject {
  id: Id;
  node: "ScanOp";
  name: string;
  tag: string;
  attrs: Value | null;
  scan_axis: IterVar;
  init: ValueOrNull[];
  update: ValueOrNull[];
  state_placeholder: ValueOrNull[];
  inputs: ValueOrNull[];
  spatial_axis_: IterVar[];
  span?: ObjectReference;
}
export interface HybridOpObject {
  id: Id;
  node: "HybridOp";
  name: string;
  tag: string;
  attrs: Value | null;
  inputs: ValueOrNull[];
  outputs: ValueOrNull[];
  axis: IterVar[];
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
export interface RefCreateObject {
  id: Id;
  node: "RefCreate";
  value: Value;
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface RefReadObject {
  id: Id;
  node: "RefRead";
  ref: Value;
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface RefWriteObject {
  id: Id;
  node: "RefWrite";
  ref: Value;
  value: Value;
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface MatchObject {
  id: Id;
  node: "Match";
  data: Value;
  clauses: ValueOrNull[];
  complete: boolean;
  virtual_device_: Value | null;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface ClauseObject {
  id: Id;
  node: "Clause";
  lhs: Value;
  rhs: Value;
  span?: ObjectReference;
}
export interface PatternWildcardObject {
  id: Id;
  node: "PatternWildcard";
  span?: ObjectReference;
}
export interface PatternVarObject {
  id: Id;
  node: "PatternVar";
  var: Value;
  span?: ObjectReference;
}
export interface PatternConstructorObject {
  id: Id;
  node: "PatternConstructor";
  constructor: Value;
  patterns: ValueOrNull[];
  span?: ObjectReference;
}
export interface PatternTupleObject {
  id: Id;
  node: "PatternTuple";
  patterns: ValueOrNull[];
  span?: ObjectReference;
}
export interface RelayConstructorObject {
  id: Id;
  node: "RelayConstructor";
  name_hint: string;
  inputs: Type[];
  belong_to: Type;
  tag: number;
  _checked_type_: Type | null;
  span?: ObjectReference;
}
export interface CallLoweredAttrsObject {
  id: Id;
  node: "CallLoweredAttrs";
  metadata: Value | null;
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
export interface AdaptivePool1DAttrsObject {
  id: Id;
  node: "AdaptivePool1DAttrs";
  output_size: Expr[] | null;
  layout: string;
  out_layout: string | null;
  span?: ObjectReference;
}
export interface AdaptivePool2DAttrsObject {
  id: Id;
  node: "AdaptivePool2DAttrs";
  output_size: Expr[] | null;
  layout: string;
  out_layout: string | null;
  span?: ObjectReference;
}
export interface AdaptivePool3DAttrsObject {
  id: Id;
  node: "AdaptivePool3DAttrs";
  output_size: Expr[] | null;
  layout: string;
  out_layout: string | null;
  span?: ObjectReference;
}
export interface AffineGridAttrsObject {
  id: Id;
  node: "AffineGridAttrs";
  target_shape: Expr[] | null;
  span?: ObjectReference;
}
export interface AllClassNonMaximumSuppressionAttrsObject {
  id: Id;
  node: "AllClassNonMaximumSuppressionAttrs";
  output_format: string;
  span?: ObjectReference;
}
export interface AllocStorageAttrsObject {
  id: Id;
  node: "AllocStorageAttrs";
  dtype: Dtype;
  device_id?: number | null;
  device_type?: number | null;
  virtual_device?: Value | null;
  span?: ObjectReference;
}
export interface AllocTensorAttrsObject {
  id: Id;
  node: "AllocTensorAttrs";
  dtype: Dtype;
  const_shape: Value | null;
  assert_shape: Expr[] | null;
  span?: ObjectReference;
}
export interface ArangeAttrsObject {
  id: Id;
  node: "ArangeAttrs";
  start: Value | null;
  stop: Value | null;
  step: Value | null;
  dtype: Dtype;
  span?: ObjectReference;
}
export interface ArgReduceAttrsObject {
  id: Id;
  node: "ArgReduceAttrs";
  axis: Expr[] | null;
  keepdims: boolean;
  select_last_index: boolean;
  exclude: boolean;
  span?: ObjectReference;
}
export interface ArgsortAttrsObject {
  id: Id;
  node: "ArgsortAttrs";
  axis: number;
  is_ascend: boolean;
  dtype: Dtype;
  span?: ObjectReference;
}
export interface AutoSchedulerLayoutTransformAttrsObject {
  id: Id;
  node: "AutoSchedulerLayoutTransformAttrs";
  src_layout: string;
  dst_layout: string;
  span?: ObjectReference;
}
export interface AvgPool1DAttrsObject {
  id: Id;
  node: "AvgPool1DAttrs";
  pool_size: Expr[] | null;
  strides: Expr[] | null;
  dilation: Expr[] | null;
  padding: Expr[] | null;
  layout: string;
  out_layout: string | null;
  ceil_mode: boolean;
  count_include_pad: boolean;
  span?: ObjectReference;
}
export interface AvgPool2DAttrsObject {
  id: Id;
  node: "AvgPool2DAttrs";
  pool_size: Expr[] | null;
  strides: Expr[] | null;
  dilation: Expr[] | null;
  padding: Expr[] | null;
  layout: string | null;
  out_layout: string | null;
  ceil_mode: boolean;
  count_include_pad: boolean;
  span?: ObjectReference;
}
export interface AvgPool3DAttrsObject {
  id: Id;
  node: "AvgPool3DAttrs";
  pool_size: Expr[] | null;
  strides: Expr[] | null;
  dilation: Expr[] | null;
  padding: Expr[] | null;
  layout: string;
  out_layout: string | null;
  ceil_mode: boolean;
  count_include_pad: boolean;
  span?: ObjectReference;
}
export interface BatchMatmulAttrsObject {
  id: Id;
  node: "BatchMatmulAttrs";
  out_dtype: Dtype;
  transpose_a: boolean;
  transpose_b: boolean;
  span?: ObjectReference;
}
export interface BatchNormAttrsObject {
  id: Id;
  node: "BatchNormAttrs";
  axis: number;
  epsilon: Real;
  center: boolean;
  scale: boolean;
  span?: ObjectReference;
}
export interface BatchToSpaceNDAttrsObject {
  id: Id;
  node: "BatchToSpaceNDAttrs";
  block_shape: Expr[] | null;
  crops: ValueOrNull[] | null;
  span?: ObjectReference;
}
export interface BiasAddAttrsObject {
  id: Id;
  node: "BiasAddAttrs";
  axis: number;
  span?: ObjectReference;
}
export interface BinaryConv2DAttrsObject {
  id: Id;
  node: "BinaryConv2DAttrs";
  strides: Expr[] | null;
  padding: Expr[] | null;
  kernel_size: Expr[] | null;
  channels: Expr | null;
  activation_bits: number;
  weight_bits: number;
  data_layout: string;
  kernel_layout: string;
  pack_dtype: Dtype;
  out_dtype: Dtype;
  unipolar: boolean;
  span?: ObjectReference;
}
export interface BinaryDenseAttrsObject {
  id: Id;
  node: "BinaryDenseAttrs";
  units: Expr | null;
  data_bits: number;
  weight_bits: number;
  pack_dtype: Dtype;
  out_dtype: Dtype;
  unipolar: boolean;
  span?: ObjectReference;
}
export interface BitPackAttrsObject {
  id: Id;
  node: "BitPackAttrs";
  bits: number;
  pack_axis: number;
  bit_axis: number;
  pack_type: Dtype;
  name: string;
  span?: ObjectReference;
}
export interface BroadcastAttrsObject {
  id: Id;
  node: "BroadcastAttrs";
  lhs_axis: number;
  rhs_axis: number;
  span?: ObjectReference;
}
export interface CastAttrsObject {
  id: Id;
  node: "CastAttrs";
  dtype: Dtype;
  span?: ObjectReference;
}
export interface CastHintAttrsObject {
  id: Id;
  node: "CastHintAttrs";
  dtype: Dtype;
  span?: ObjectReference;
}
export interface ClipAttrsObject {
  id: Id;
  node: "ClipAttrs";
  a_min: Real;
  a_max: Real;
  span?: ObjectReference;
}
export interface CompilerAttrsObject {
  id: Id;
  node: "CompilerAttrs";
  compiler: string;
  span?: ObjectReference;
}
export interface ConcatenateAttrsObject {
  id: Id;
  node: "ConcatenateAttrs";
  axis: number;
  span?: ObjectReference;
}
export interface Conv1DAttrsObject {
  id: Id;
  node: "Conv1DAttrs";
  strides: Expr[] | null;
  padding: Expr[] | null;
  dilation: Expr[] | null;
  groups: number;
  channels: Expr | null;
  kernel_size: Expr[] | null;
  data_layout: string | null;
  kernel_layout: string | null;
  out_dtype: Dtype;
  out_layout?: string | null;
  span?: ObjectReference;
}
export interface Conv1DTransposeAttrsObject {
  id: Id;
  node: "Conv1DTransposeAttrs";
  channels: Expr | null;
  kernel_size: Expr[] | null;
  strides: Expr[] | null;
  output_padding: Expr[] | null;
  padding: Expr[] | null;
  dilation: Expr[] | null;
  groups: number;
  data_layout: string;
  kernel_layout: string;
  out_layout: string;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface Conv2DAttrsObject {
  id: Id;
  node: "Conv2DAttrs";
  strides: Expr[] | null;
  padding: Expr[] | null;
  dilation: Expr[] | null;
  groups: number;
  channels: Expr | null;
  kernel_size: Expr[] | null;
  data_layout: string | null;
  kernel_layout: string | null;
  out_layout: string | null;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface Conv2DTransposeAttrsObject {
  id: Id;
  node: "Conv2DTransposeAttrs";
  channels: Expr | null;
  kernel_size: Expr[] | null;
  strides: Expr[] | null;
  output_padding: Expr[] | null;
  padding: Expr[] | null;
  dilation: Expr[] | null;
  groups: number;
  data_layout: string;
  kernel_layout: string;
  out_layout: string;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface Conv2DWinogradAttrsObject {
  id: Id;
  node: "Conv2DWinogradAttrs";
  tile_size: number;
  strides: Expr[] | null;
  padding: Expr[] | null;
  dilation: Expr[] | null;
  groups: number;
  channels: Expr | null;
  kernel_size: Expr[] | null;
  data_layout: string | null;
  kernel_layout: string | null;
  out_layout: string | null;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface Conv2DWinogradNNPACKWeightTransformAttrsObject {
  id: Id;
  node: "Conv2DWinogradNNPACKWeightTransformAttrs";
  convolution_algorithm: number;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface Conv3DAttrsObject {
  id: Id;
  node: "Conv3DAttrs";
  strides: Expr[] | null;
  padding: Expr[] | null;
  dilation: Expr[] | null;
  groups: number;
  channels: Expr | null;
  kernel_size: Expr[] | null;
  data_layout: string | null;
  kernel_layout: string | null;
  out_layout: string | null;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface Conv3DTransposeAttrsObject {
  id: Id;
  node: "Conv3DTransposeAttrs";
  channels: Expr | null;
  kernel_size: Expr[] | null;
  strides: Expr[] | null;
  output_padding: Expr[] | null;
  padding: Expr[] | null;
  dilation: Expr[] | null;
  groups: number;
  data_layout: string | null;
  kernel_layout: string | null;
  out_layout: string | null;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface Conv3DWinogradAttrsObject {
  id: Id;
  node: "Conv3DWinogradAttrs";
  tile_size: number;
  strides: Expr[] | null;
  padding: Expr[] | null;
  dilation: Expr[] | null;
  groups: number;
  channels: Expr | null;
  kernel_size: Expr[] | null;
  data_layout: string;
  kernel_layout: string;
  out_layout: string;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface ConvGemmWeightTransformAttrsObject {
  id: Id;
  node: "ConvGemmWeightTransformAttrs";
  tile_rows?: number | null;
  tile_cols?: number | null;
  tile_N?: number | null;
  tile_K?: number | null;
  span?: ObjectReference;
}
export interface ConvWinogradWeightTransformAttrsObject {
  id: Id;
  node: "ConvWinogradWeightTransformAttrs";
  tile_size: number;
  span?: ObjectReference;
}
export interface CorrelationAttrsObject {
  id: Id;
  node: "CorrelationAttrs";
  kernel_size: number;
  max_displacement: number;
  stride1: number;
  stride2: number;
  padding: Expr[] | null;
  is_multiply: boolean;
  layout: string | null;
  span?: ObjectReference;
}
export interface CropAndResizeAttrsObject {
  id: Id;
  node: "CropAndResizeAttrs";
  crop_size: Expr[] | null;
  layout: string;
  method: string;
  extrapolation_value: Real;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface DFTAttrsObject {
  id: Id;
  node: "DFTAttrs";
  inverse: Expr | null;
  span?: ObjectReference;
}
export interface DebugAttrsObject {
  id: Id;
  node: "DebugAttrs";
  debug_func: Value | null;
  span?: ObjectReference;
}
export interface DeformableConv2DAttrsObject {
  id: Id;
  node: "DeformableConv2DAttrs";
  strides: Expr[] | null;
  padding: Expr[] | null;
  dilation: Expr[] | null;
  deformable_groups: number;
  groups: number;
  channels: Expr | null;
  kernel_size: Expr[] | null;
  data_layout: string;
  kernel_layout: string;
  out_layout: string;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface DenseAttrsObject {
  id: Id;
  node: "DenseAttrs";
  units: Expr | null;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface DensePackAttrsObject {
  id: Id;
  node: "DensePackAttrs";
  units: Expr | null;
  out_dtype: Dtype;
  weight_layout: string | null;
  span?: ObjectReference;
}
export interface DequantizeAttrsObject {
  id: Id;
  node: "DequantizeAttrs";
  axis: number;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface DeviceCopyAttrsObject {
  id: Id;
  node: "DeviceCopyAttrs";
  src_dev_type?: number | null;
  dst_dev_type?: number | null;
  src_virtual_device?: Value | null;
  dst_virtual_device?: Value | null;
  span?: ObjectReference;
}
export interface DilateAttrsObject {
  id: Id;
  node: "DilateAttrs";
  strides: Expr[] | null;
  dilation_value: Real;
  span?: ObjectReference;
}
export interface Dilation2DAttrsObject {
  id: Id;
  node: "Dilation2DAttrs";
  strides: Expr[] | null;
  padding: Expr[] | null;
  dilations: Expr[] | null;
  data_layout: string;
  kernel_layout: string;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface DropoutAttrsObject {
  id: Id;
  node: "DropoutAttrs";
  rate: Real;
  span?: ObjectReference;
}
export interface DynExpandDimsAttrsObject {
  id: Id;
  node: "DynExpandDimsAttrs";
  num_newaxis: number;
  span?: ObjectReference;
}
export interface EinsumAttrsObject {
  id: Id;
  node: "EinsumAttrs";
  equation: string | null;
  span?: ObjectReference;
}
export interface EthosuBinaryElementwiseAttrsObject {
  id: Id;
  node: "EthosuBinaryElementwiseAttrs";
  operator_type: string | null;
  ifm_scale: Real;
  ifm_zero_point: number;
  ifm2_scale: Real;
  ifm2_zero_point: number;
  ofm_scale: Real;
  ofm_zero_point: number;
  ifm_channels: Expr | null;
  ifm2_channels: Expr | null;
  reversed_operands: boolean;
  activation: string | null;
  clip_min: number;
  clip_max: number;
  ifm_layout: string | null;
  ifm2_layout: string | null;
  ofm_layout: string | null;
  ofm_dtype: string | null;
  use_rescale: boolean;
  rounding_mode?: string | null;
  rescale_scale?: number | null;
  rescale_shift?: number | null;
  span?: ObjectReference;
}
export interface EthosuConv2DAttrsObject {
  id: Id;
  node: "EthosuConv2DAttrs";
  ifm_scale: Real;
  ifm_zero_point: number;
  weight_zero_point: number;
  ofm_scale: Real;
  ofm_zero_point: number;
  kernel_shape: Expr[] | null;
  ofm_channels: Expr | null;
  strides: Expr[] | null;
  padding: Expr[] | null;
  dilation: Expr[] | null;
  activation: string | null;
  clip_min: number;
  clip_max: number;
  upscale: string | null;
  ifm_layout: string | null;
  ofm_layout: string | null;
  rounding_mode?: string | null;
  span?: ObjectReference;
}
export interface EthosuDepthwiseConv2DAttrsObject {
  id: Id;
  node: "EthosuDepthwiseConv2DAttrs";
  ifm_scale: Real;
  ifm_zero_point: number;
  weight_zero_point: number;
  ofm_scale: Real;
  ofm_zero_point: number;
  kernel_shape: Expr[] | null;
  ofm_channels: Expr | null;
  strides: Expr[] | null;
  padding: Expr[] | null;
  dilation: Expr[] | null;
  activation: string | null;
  clip_min: number;
  clip_max: number;
  upscale: string | null;
  ifm_layout: string | null;
  ofm_layout: string | null;
  rounding_mode?: string | null;
  ofm_dtype?: string | null;
  span?: ObjectReference;
}
export interface EthosuIdentityAttrsObject {
  id: Id;
  node: "EthosuIdentityAttrs";
  ifm_scale: Real;
  ifm_zero_point: number;
  ofm_scale: Real;
  ofm_zero_point: number;
  activation: string | null;
  rounding_mode?: string | null;
  span?: ObjectReference;
}
export interface EthosuPoolingAttrsObject {
  id: Id;
  node: "EthosuPoolingAttrs";
  pooling_type: string | null;
  ifm_scale: Real;
  ifm_zero_point: number;
  ofm_scale: Real;
  ofm_zero_point: number;
  pool_shape: Expr[] | null;
  ofm_channels: Expr | null;
  strides: Expr[] | null;
  padding: Expr[] | null;
  activation: string | null;
  clip_min: number;
  clip_max: number;
  upscale: string | null;
  ifm_layout: string | null;
  ofm_layout: string | null;
  rounding_mode?: string | null;
  ofm_dtype?: string | null;
  span?: ObjectReference;
}
export interface EthosuUnaryElementwiseAttrsObject {
  id: Id;
  node: "EthosuUnaryElementwiseAttrs";
  operator_type: string | null;
  ifm_scale: Real;
  ifm_zero_point: number;
  ofm_scale: Real;
  ofm_zero_point: number;
  ofm_channels: Expr | null;
  activation: string | null;
  clip_min: number;
  clip_max: number;
  rounding_mode: string | null;
  ifm_layout: string | null;
  ofm_layout: string | null;
  span?: ObjectReference;
}
export interface ExpandDimsAttrsObject {
  id: Id;
  node: "ExpandDimsAttrs";
  axis: number;
  num_newaxis: number;
  span?: ObjectReference;
}
export interface FIFOBufferAttrsObject {
  id: Id;
  node: "FIFOBufferAttrs";
  axis: number;
  span?: ObjectReference;
}
export interface FixedPointMultiplyAttrsObject {
  id: Id;
  node: "FixedPointMultiplyAttrs";
  multiplier: number;
  shift: number;
  span?: ObjectReference;
}
export interface FixedPointMultiplyPerAxisAttrsObject {
  id: Id;
  node: "FixedPointMultiplyPerAxisAttrs";
  is_lshift_required: boolean;
  is_rshift_required: boolean;
  axes: Expr[] | null;
  span?: ObjectReference;
}
export interface GatherAttrsObject {
  id: Id;
  node: "GatherAttrs";
  axis: Expr | null;
  span?: ObjectReference;
}
export interface GatherNDAttrsObject {
  id: Id;
  node: "GatherNDAttrs";
  batch_dims: Expr | null;
  index_rank: Expr | null;
  span?: ObjectReference;
}
export interface GetValidCountsAttrsObject {
  id: Id;
  node: "GetValidCountsAttrs";
  score_threshold: Expr | null;
  id_index: number;
  score_index: number;
  span?: ObjectReference;
}
export interface GlobalPool2DAttrsObject {
  id: Id;
  node: "GlobalPool2DAttrs";
  layout: string | null;
  out_layout: string | null;
  span?: ObjectReference;
}
export interface GridSampleAttrsObject {
  id: Id;
  node: "GridSampleAttrs";
  method: string | null;
  layout: string | null;
  align_corners: boolean;
  padding_mode?: string | null;
  span?: ObjectReference;
}
export interface GroupNormAttrsObject {
  id: Id;
  node: "GroupNormAttrs";
  num_groups: number;
  axis: number;
  epsilon: Real;
  center: boolean;
  scale: boolean;
  span?: ObjectReference;
}
export interface InitOpAttrsObject {
  id: Id;
  node: "InitOpAttrs";
  shape: Expr[] | null;
  dtype: Dtype;
  span?: ObjectReference;
}
export interface InstanceNormAttrsObject {
  id: Id;
  node: "InstanceNormAttrs";
  axis: number;
  epsilon: Real;
  center: boolean;
  scale: boolean;
  span?: ObjectReference;
}
export interface L2NormalizeAttrsObject {
  id: Id;
  node: "L2NormalizeAttrs";
  eps: Real;
  axis: Expr[] | null;
  span?: ObjectReference;
}
export interface LRNAttrsObject {
  id: Id;
  node: "LRNAttrs";
  size: number;
  axis: number;
  bias: Real;
  alpha: Real;
  beta: Real;
  span?: ObjectReference;
}
export interface LayerNormAttrsObject {
  id: Id;
  node: "LayerNormAttrs";
  axis: number;
  epsilon: Real;
  center: boolean;
  scale: boolean;
  span?: ObjectReference;
}
export interface LayoutTransformAttrsObject {
  id: Id;
  node: "LayoutTransformAttrs";
  src_layout: string;
  dst_layout: string;
  span?: ObjectReference;
}
export interface LeakyReluAttrsObject {
  id: Id;
  node: "LeakyReluAttrs";
  alpha: Real;
  span?: ObjectReference;
}
export interface MatmulAttrsObject {
  id: Id;
  node: "MatmulAttrs";
  units: Expr | null;
  out_dtype: Dtype;
  transpose_a: boolean;
  transpose_b: boolean;
  span?: ObjectReference;
}
export interface MatrixSetDiagAttrsObject {
  id: Id;
  node: "MatrixSetDiagAttrs";
  k1: number;
  k2: number;
  super_diag_right_align: boolean;
  sub_diag_right_align: boolean;
  span?: ObjectReference;
}
export interface MaxPool1DAttrsObject {
  id: Id;
  node: "MaxPool1DAttrs";
  pool_size: Expr[] | null;
  strides: Expr[] | null;
  dilation: Expr[] | null;
  padding: Expr[] | null;
  layout: string;
  out_layout: string | null;
  ceil_mode: boolean;
  span?: ObjectReference;
}
export interface MaxPool2DAttrsObject {
  id: Id;
  node: "MaxPool2DAttrs";
  pool_size: Expr[] | null;
  strides: Expr[] | null;
  dilation: Expr[] | null;
  padding: Expr[] | null;
  layout: string | null;
  out_layout: string | null;
  ceil_mode: boolean;
  span?: ObjectReference;
}
export interface MaxPool3DAttrsObject {
  id: Id;
  node: "MaxPool3DAttrs";
  pool_size: Expr[] | null;
  strides: Expr[] | null;
  dilation: Expr[] | null;
  padding: Expr[] | null;
  layout: string;
  out_layout: string | null;
  ceil_mode: boolean;
  span?: ObjectReference;
}
export interface MeshgridAttrsObject {
  id: Id;
  node: "MeshgridAttrs";
  indexing: string;
  span?: ObjectReference;
}
export interface MetaRefAttrsObject {
  id: Id;
  node: "MetaRefAttrs";
  node_type_key: string | null;
  node_index: Integer64;
  span?: ObjectReference;
}
export interface MetaScheduleLayoutTransformAttrsObject {
  id: Id;
  node: "MetaScheduleLayoutTransformAttrs";
  index_map: Value | null;
  span?: ObjectReference;
}
export interface MirrorPadAttrsObject {
  id: Id;
  node: "MirrorPadAttrs";
  mode: string;
  pad_width: ValueOrNull[] | null;
  span?: ObjectReference;
}
export interface MultiBoxPriorAttrsObject {
  id: Id;
  node: "MultiBoxPriorAttrs";
  sizes: Expr[] | null;
  ratios: Expr[] | null;
  steps: Expr[] | null;
  offsets: Expr[] | null;
  clip: boolean;
  span?: ObjectReference;
}
export interface MultiBoxTransformLocAttrsObject {
  id: Id;
  node: "MultiBoxTransformLocAttrs";
  clip: boolean;
  threshold: Real;
  variances: Expr[] | null;
  keep_background: boolean;
  span?: ObjectReference;
}
export interface MultinomialAttrsObject {
  id: Id;
  node: "MultinomialAttrs";
  num_samples: Expr | null;
  span?: ObjectReference;
}
export interface NLLLossAttrsObject {
  id: Id;
  node: "NLLLossAttrs";
  reduction: string;
  ignore_index: number;
  span?: ObjectReference;
}
export interface NdarraySizeAttrsObject {
  id: Id;
  node: "NdarraySizeAttrs";
  dtype: Dtype;
  span?: ObjectReference;
}
export interface NonMaximumSuppressionAttrsObject {
  id: Id;
  node: "NonMaximumSuppressionAttrs";
  force_suppress: boolean;
  top_k: number;
  coord_start: number;
  score_index: number;
  id_index: number;
  return_indices: boolean;
  invalid_to_bottom: boolean;
  span?: ObjectReference;
}
export interface NormalAttrsObject {
  id: Id;
  node: "NormalAttrs";
  out_shape: Expr[] | null;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface OnDeviceAttrsObject {
  id: Id;
  node: "OnDeviceAttrs";
  is_fixed: boolean;
  constrain_result: boolean;
  constrain_body: boolean;
  device_type?: number | null;
  virtual_device?: Value | null;
  span?: ObjectReference;
}
export interface OneHotAttrsObject {
  id: Id;
  node: "OneHotAttrs";
  depth: number;
  axis: number;
  dtype: Dtype;
  span?: ObjectReference;
}
export interface PReluAttrsObject {
  id: Id;
  node: "PReluAttrs";
  axis: number;
  span?: ObjectReference;
}
export interface PadAttrsObject {
  id: Id;
  node: "PadAttrs";
  pad_width: ValueOrNull[] | null;
  pad_mode: string | null;
  span?: ObjectReference;
}
export interface ProposalAttrsObject {
  id: Id;
  node: "ProposalAttrs";
  scales: Expr[] | null;
  ratios: Expr[] | null;
  feature_stride: number;
  threshold: Real;
  rpn_pre_nms_top_n: number;
  rpn_post_nms_top_n: number;
  rpn_min_size: number;
  iou_loss: boolean;
  span?: ObjectReference;
}
export interface QuantizeAttrsObject {
  id: Id;
  node: "QuantizeAttrs";
  out_dtype: Dtype;
  axis: number;
  span?: ObjectReference;
}
export interface ROIAlignAttrsObject {
  id: Id;
  node: "ROIAlignAttrs";
  pooled_size: Expr[] | null;
  spatial_scale: Real;
  sample_ratio: number;
  layout: string;
  mode: string;
  span?: ObjectReference;
}
export interface ROIPoolAttrsObject {
  id: Id;
  node: "ROIPoolAttrs";
  pooled_size: Expr[] | null;
  spatial_scale: Real;
  layout: string;
  span?: ObjectReference;
}
export interface ReduceAttrsObject {
  id: Id;
  node: "ReduceAttrs";
  axis: Expr[] | null;
  keepdims: boolean;
  exclude: boolean;
  span?: ObjectReference;
}
export interface RegularNonMaximumSuppressionAttrsObject {
  id: Id;
  node: "RegularNonMaximumSuppressionAttrs";
  max_detections_per_class: number;
  max_detections: number;
  num_classes: number;
  iou_threshold: Real;
  score_threshold: Real;
  span?: ObjectReference;
}
export interface RepeatAttrsObject {
  id: Id;
  node: "RepeatAttrs";
  repeats: Expr | null;
  axis: Expr | null;
  span?: ObjectReference;
}
export interface RequantizeAttrsObject {
  id: Id;
  node: "RequantizeAttrs";
  axis: number;
  rounding: string;
  out_dtype: Dtype;
  compute_dtype: string;
  span?: ObjectReference;
}
export interface ReshapeAttrsObject {
  id: Id;
  node: "ReshapeAttrs";
  newshape: Expr[] | null;
  allowzero: boolean;
  span?: ObjectReference;
}
export interface ReshapeLikeAttrsObject {
  id: Id;
  node: "ReshapeLikeAttrs";
  lhs_begin: number;
  lhs_end: Expr | null;
  rhs_begin: number;
  rhs_end: Expr | null;
  span?: ObjectReference;
}
export interface ReshapeTensorAttrsObject {
  id: Id;
  node: "ReshapeTensorAttrs";
  newshape: Expr[] | null;
  span?: ObjectReference;
}
export interface Resize1DAttrsObject {
  id: Id;
  node: "Resize1DAttrs";
  size: Expr[] | null;
  layout: string;
  method: string;
  coordinate_transformation_mode: string;
  rounding_method: string;
  cubic_alpha: Real;
  cubic_exclude: number;
  out_dtype: Dtype;
  extrapolation_value: Real;
  roi?: Expr[] | null;
  span?: ObjectReference;
}
export interface Resize2DAttrsObject {
  id: Id;
  node: "Resize2DAttrs";
  size: Expr[] | null;
  layout: string;
  method: string;
  coordinate_transformation_mode: string;
  rounding_method: string;
  cubic_alpha: Real;
  cubic_exclude: number;
  out_dtype: Dtype;
  extrapolation_value: Real;
  roi?: Expr[] | null;
  span?: ObjectReference;
}
export interface Resize3DAttrsObject {
  id: Id;
  node: "Resize3DAttrs";
  size: Expr[] | null;
  layout: string;
  method: string;
  coordinate_transformation_mode: string;
  rounding_method: string;
  cubic_alpha: Real;
  cubic_exclude: number;
  out_dtype: Dtype;
  extrapolation_value: Real;
  roi?: Expr[] | null;
  span?: ObjectReference;
}
export interface ReverseAttrsObject {
  id: Id;
  node: "ReverseAttrs";
  axis: Expr | null;
  span?: ObjectReference;
}
export interface ReverseSequenceAttrsObject {
  id: Id;
  node: "ReverseSequenceAttrs";
  seq_axis: Expr | null;
  batch_axis: Expr | null;
  span?: ObjectReference;
}
export interface ScanopAttrsObject {
  id: Id;
  node: "ScanopAttrs";
  axis: Expr | null;
  dtype: Dtype;
  exclusive: Expr | null;
  span?: ObjectReference;
}
export interface ScatterAddAttrsObject {
  id: Id;
  node: "ScatterAddAttrs";
  axis: Expr | null;
  span?: ObjectReference;
}
export interface ScatterAttrsObject {
  id: Id;
  node: "ScatterAttrs";
  axis: Expr | null;
  span?: ObjectReference;
}
export interface ScatterElementsAttrsObject {
  id: Id;
  node: "ScatterElementsAttrs";
  axis: Expr | null;
  reduction: string | null;
  span?: ObjectReference;
}
export interface ScatterNDAttrsObject {
  id: Id;
  node: "ScatterNDAttrs";
  mode: string | null;
  span?: ObjectReference;
}
export interface SearchSortedAttrsObject {
  id: Id;
  node: "SearchSortedAttrs";
  right: boolean;
  dtype: Dtype;
  span?: ObjectReference;
}
export interface SequenceMaskAttrsObject {
  id: Id;
  node: "SequenceMaskAttrs";
  mask_value: Real;
  axis: number;
  span?: ObjectReference;
}
export interface ShapeFuncAttrsObject {
  id: Id;
  node: "ShapeFuncAttrs";
  is_input: Expr[] | null;
  span?: ObjectReference;
}
export interface ShapeOfAttrsObject {
  id: Id;
  node: "ShapeOfAttrs";
  dtype: Dtype;
  span?: ObjectReference;
}
export interface SliceLikeAttrsObject {
  id: Id;
  node: "SliceLikeAttrs";
  axes: Expr[] | null;
  span?: ObjectReference;
}
export interface SlidingWindowAttrsObject {
  id: Id;
  node: "SlidingWindowAttrs";
  axis: number;
  window_shape: Expr[] | null;
  strides: Expr[] | null;
  span?: ObjectReference;
}
export interface SoftmaxAttrsObject {
  id: Id;
  node: "SoftmaxAttrs";
  axis: number;
  span?: ObjectReference;
}
export interface SpaceToBatchNDAttrsObject {
  id: Id;
  node: "SpaceToBatchNDAttrs";
  block_shape: Expr[] | null;
  paddings: ValueOrNull[] | null;
  pad_value: Real;
  span?: ObjectReference;
}
export interface SparseConv2DAttrsObject {
  id: Id;
  node: "SparseConv2DAttrs";
  layout: string;
  kernel_size: Expr[] | null;
  span?: ObjectReference;
}
export interface SparseDenseAttrsObject {
  id: Id;
  node: "SparseDenseAttrs";
  sparse_lhs: boolean;
  span?: ObjectReference;
}
export interface SparseToDenseAttrsObject {
  id: Id;
  node: "SparseToDenseAttrs";
  output_shape: Expr[] | null;
  span?: ObjectReference;
}
export interface SparseTransposeAttrsObject {
  id: Id;
  node: "SparseTransposeAttrs";
  span?: ObjectReference;
}
export interface SplitAttrsObject {
  id: Id;
  node: "SplitAttrs";
  indices_or_sections: Value | null;
  axis: number;
  span?: ObjectReference;
}
export interface SqueezeAttrsObject {
  id: Id;
  node: "SqueezeAttrs";
  axis: Expr[] | null;
  span?: ObjectReference;
}
export interface StackAttrsObject {
  id: Id;
  node: "StackAttrs";
  axis: Expr | null;
  span?: ObjectReference;
}
export interface StftAttrsObject {
  id: Id;
  node: "StftAttrs";
  n_fft: number;
  hop_length: number;
  win_length: number;
  normalized: boolean;
  onesided: boolean;
  span?: ObjectReference;
}
export interface StridedSliceAttrsObject {
  id: Id;
  node: "StridedSliceAttrs";
  begin: ValueOrNull[] | null;
  end: ValueOrNull[] | null;
  strides: ValueOrNull[] | null;
  slice_mode: string | null;
  axes: ValueOrNull[] | null;
  span?: ObjectReference;
}
export interface SubPixelAttrsObject {
  id: Id;
  node: "SubPixelAttrs";
  block_size: number;
  layout: string;
  mode: string;
  span?: ObjectReference;
}
export interface TakeAttrsObject {
  id: Id;
  node: "TakeAttrs";
  batch_dims: Expr | null;
  axis: Expr | null;
  mode: string | null;
  span?: ObjectReference;
}
export interface ThreefryGenerateAttrsObject {
  id: Id;
  node: "ThreefryGenerateAttrs";
  out_shape: Expr[] | null;
  span?: ObjectReference;
}
export interface TileAttrsObject {
  id: Id;
  node: "TileAttrs";
  reps: Expr[] | null;
  span?: ObjectReference;
}
export interface TopkAttrsObject {
  id: Id;
  node: "TopkAttrs";
  k: Expr | null;
  axis: number;
  ret_type: string;
  is_ascend: boolean;
  dtype: Dtype;
  span?: ObjectReference;
}
export interface TorchFunctionAttrsObject {
  id: Id;
  node: "TorchFunctionAttrs";
  serialized_function: string;
  len: Integer64;
  span?: ObjectReference;
}
export interface TransposeAttrsObject {
  id: Id;
  node: "TransposeAttrs";
  axes: Expr[] | null;
  span?: ObjectReference;
}
export interface TriluAttrsObject {
  id: Id;
  node: "TriluAttrs";
  upper: boolean;
  span?: ObjectReference;
}
export interface TupleGetItemAttrsObject {
  id: Id;
  node: "TupleGetItemAttrs";
  index: number;
  span?: ObjectReference;
}
export interface UniformAttrsObject {
  id: Id;
  node: "UniformAttrs";
  out_shape: Expr[] | null;
  out_dtype: Dtype;
  span?: ObjectReference;
}
export interface UniqueAttrsObject {
  id: Id;
  node: "UniqueAttrs";
  sorted: boolean;
  return_counts: boolean;
  span?: ObjectReference;
}
export interface UpSampling3DAttrsObject {
  id: Id;
  node: "UpSampling3DAttrs";
  scale_d: Real;
  scale_h: Real;
  scale_w: Real;
  layout: string;
  method: string;
  coordinate_transformation_mode: string;
  span?: ObjectReference;
}
export interface UpSamplingAttrsObject {
  id: Id;
  node: "UpSamplingAttrs";
  scale_h: Real;
  scale_w: Real;
  layout: string | null;
  method: string | null;
  align_corners: boolean;
  span?: ObjectReference;
}
export interface VarianceAttrsObject {
  id: Id;
  node: "VarianceAttrs";
  axis: Expr[] | null;
  keepdims: boolean;
  exclude: boolean;
  unbiased: boolean;
  span?: ObjectReference;
}
export interface WithFuncIdAttrsObject {
  id: Id;
  node: "WithFuncIdAttrs";
  fid: number;
  span?: ObjectReference;
}
export interface YoloReorgAttrsObject {
  id: Id;
  node: "YoloReorgAttrs";
  stride: Expr | null;
  span?: ObjectReference;
}
export interface HoistExpressionConfigObject {
  id: Id;
  node: "HoistExpressionConfig";
  hoisted_conditionals: number;
  hoisted_let_bindings: number;
  span?: ObjectReference;
}
export interface HoistIfThenElseConfigObject {
  id: Id;
  node: "HoistIfThenElseConfig";
  support_block_scope_hosting: boolean;
  span?: ObjectReference;
}
export interface InjectDoubleBufferConfigObject {
  id: Id;
  node: "InjectDoubleBufferConfig";
  split_loop: number;
  span?: ObjectReference;
}
export interface LoopPartitionConfigObject {
  id: Id;
  node: "LoopPartitionConfig";
  partition_const_loop: boolean;
  no_unroll_loop_with_extent_one: boolean;
  unroll_loop_with_partition_hint_no_interval: boolean;
  span?: ObjectReference;
}
export interface ReduceBranchingThroughOvercomputeConfigObject {
  id: Id;
  node: "ReduceBranchingThroughOvercomputeConfig";
  use_dataflow_analysis: boolean;
  span?: ObjectReference;
}
export interface RemoveNoOpConfigObject {
  id: Id;
  node: "RemoveNoOpConfig";
  use_dataflow_analysis: boolean;
  max_simplification_steps?: Integer64 | null;
  span?: ObjectReference;
}
export interface SimplifyConfigObject {
  id: Id;
  node: "SimplifyConfig";
  transitively_prove_inequalities: boolean;
  propagate_knowns_to_prove_conditional: boolean;
  propagate_knowns_to_simplify_expressions: boolean;
  convert_boolean_to_and_of_ors: boolean;
  apply_constraints_to_boolean_branches: boolean;
  span?: ObjectReference;
}
export interface UnrollLoopConfigObject {
  id: Id;
  node: "UnrollLoopConfig";
  auto_max_step: number;
  auto_max_depth: number;
  auto_max_extent: number;
  explicit_unroll: number;
  unroll_local_access?: number | null;
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
  _checked_type_?: Type;
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
