"""Small archives in the grammar of TVM's generated C, at random: networks of a few kernels with a
memory pool, sound ones and such as people write by hand.

`archive(seed)` is the same for one seed, and `archive_of(steps)` has what is asked for. `oddities` names what is in it that TVM never writes; where
that is empty, nothing of it may be refused. All of them stay inside their pool as they are given.
"""

import contextlib
import dataclasses
import io
import json
import re
import tarfile

from battery_network import CODE, HEADER, POOL, SIZES, SLACK, WRAPPER, NothingFits, Tensor
from battery_oddities import Oddities

DTYPES = {
    "int8_t": "int8",
    "uint8_t": "uint8",
    "int16_t": "int16",
    "int32_t": "int32",
    "float": "float32",
    "double": "float64",
}


@dataclasses.dataclass
class Archive:
    members: dict
    oddities: list
    input_type: str
    output_bytes: int


class Network(Oddities):
    def random_steps(self):
        choose = self.random
        steps = [choose.choice(self.SOUND) for _ in range(choose.randint(2, 6))]
        for one in choose.sample(self.ODD, choose.choice([0, 0, 1, 1, 1, 2, 3])):
            steps.insert(choose.randint(0, len(steps)), one)
        return steps

    def build(self, steps):
        choose = self.random
        ctype = choose.choice(list(SIZES))
        self.input = Tensor("x_buffer_var", ctype, choose.choice([4, 5, 8, 16, 16, 32, 61]))
        self.live = [self.input]
        # Shapes shrink: what needs more elements than there are is left out.
        for step in steps:
            calls = len(self.calls)
            with contextlib.suppress(NothingFits):
                getattr(self, step)()
            if step in self.ODD and len(self.calls) != calls:
                self.oddities.append(step)
        last = self.live[-1]
        self.output = Tensor("output_buffer_var", last.ctype, last.count)
        self.unary(last, self.output)
        return self

    def archive(self):
        pool = self.end + SLACK
        self.workspace = pool + self.stack
        return Archive(
            {
                "metadata.json": self.metadata(),
                WRAPPER: self.wrapper(pool),
                CODE: self.code(),
                HEADER: self.header(),
            },
            self.oddities,
            self.input.ctype,
            self.output.bytes(),
        )

    def metadata(self):
        def tensor(one):
            return {"dtype": DTYPES[one.ctype], "size": one.bytes()}

        main = {
            "constants_size_bytes": 0,
            "device": 1,
            "inputs": {"x": tensor(self.input)},
            "io_size_bytes": self.input.bytes() + self.output.bytes(),
            "outputs": {"output": tensor(self.output)},
            "workspace_size_bytes": self.workspace,
        }
        module = {
            "executors": ["aot"],
            "export_datetime": "2024-01-01 00:00:00Z",
            "memory": {"functions": {"main": [main], "operator_functions": []}},
            "model_name": "default",
            "style": "full-model",
            "target": ["c -keys=cpu "],
        }
        return json.dumps({"modules": {"default": module}, "version": 7}, indent=2)

    @staticmethod
    def wrapper(pool):
        main = "tvmgen_default___tvm_main__"
        return f"""#include "tvm/runtime/c_runtime_api.h"
#ifdef __cplusplus
extern "C" {{
#endif
__attribute__((section(".bss.noinit.tvm"), aligned(16)))
static uint8_t {POOL}[{pool}];
#include <tvmgen_default.h>
TVM_DLL int32_t {main}(void* x,void* output0,uint8_t* {POOL}_0_var);
int32_t tvmgen_default_run(struct tvmgen_default_inputs* inputs,struct tvmgen_default_outputs* outputs) {{return {main}(inputs->x,outputs->output,((uint8_t*)&{POOL}));
}}
#ifdef __cplusplus
}}
#endif
;"""

    def header(self):
        return f"""#ifndef TVMGEN_DEFAULT_H_
#define TVMGEN_DEFAULT_H_
#include <stdint.h>
#define TVMGEN_DEFAULT_X_SIZE {self.input.bytes()}
#define TVMGEN_DEFAULT_OUTPUT_SIZE {self.output.bytes()}
struct tvmgen_default_inputs {{
  void* x;
}};
struct tvmgen_default_outputs {{
  void* output;
}};
int32_t tvmgen_default_run(
  struct tvmgen_default_inputs* inputs,
  struct tvmgen_default_outputs* outputs
);
#define TVMGEN_DEFAULT_WORKSPACE_SIZE {self.workspace}
#endif // TVMGEN_DEFAULT_H_
"""

    def code(self):
        main = [
            (self.input.ctype + "*", "x_buffer_var"),
            (self.output.ctype + "*", "output_buffer_var"),
            ("uint8_t*", f"{POOL}_0_var"),
        ]
        body = [*self.lets, *self.calls]
        functions = [*self.kernels, ("tvmgen_default___tvm_main__", main, body)]
        guard = '#ifdef __cplusplus\nextern "C"\n#endif\n'

        def head(name, parameters):
            listed = ", ".join(f"{ctype} {parameter}" for ctype, parameter in parameters)
            return f"{guard}TVM_DLL int32_t {name}({listed})"

        text = [
            "// tvm target: c -keys=cpu ",
            "#define TVM_EXPORTS",
            '#include "tvm/runtime/c_runtime_api.h"',
            '#include "tvm/runtime/c_backend_api.h"',
            "#include <math.h>",
            "#include <stdbool.h>",
            *self.statics,
            *(head(name, parameters) + ";" for name, parameters, _ in functions),
        ]
        for name, parameters, body in functions:
            lines = "".join(f"  {line}\n" for line in body)
            text.append(f"{head(name, parameters)} {{\n{lines}  return 0;\n}}\n")
        return "\n".join(text)


def archive(seed):
    network = Network(seed)
    return network.build(network.random_steps()).archive()


def archive_of(steps, seed=0):
    """These steps alone; sizes and types are those of the seed."""
    return Network(seed).build(steps).archive()


def tar_of(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo("./" + name)
            info.size = len(content.encode())
            tar.addfile(info, io.BytesIO(content.encode()))
    return out.getvalue()


def with_two_pools(members, swapped_call=None):
    """The archive with a second pool that all kernels are given. The call with this number gives the
    two the other way round."""
    first, second = f"{POOL}_0_var", "other_workspace_90_var"
    code = members[CODE]
    code = re.sub(rf"uint8_t\* {POOL}_(\d+)_var", r"\g<0>, uint8_t* other_workspace_9\1_var", code)
    code, calls = re.subn(rf"{first}\) != 0", f"{first}, {second}) != 0", code)
    if swapped_call is not None:
        at = [one.start() for one in re.finditer(rf"{first}, {second}\) != 0", code)][swapped_call]
        code = code[:at] + code[at:].replace(f"{first}, {second}", f"{second}, {first}", 1)
    wrapper = members[WRAPPER]
    size = re.search(rf"{POOL}\[(\d+)\]", wrapper)[1]
    for old, new in (
        (f"static uint8_t {POOL}[{size}];", f"static uint8_t {POOL}[{size}], other_workspace[{size}];"),
        (f"uint8_t* {first})", f"uint8_t* {first},uint8_t* {second})"),
        (f"((uint8_t*)&{POOL})", f"((uint8_t*)&{POOL}),((uint8_t*)&other_workspace)"),
    ):
        assert old in wrapper and calls
        wrapper = wrapper.replace(old, new)
    wrapper = wrapper.replace(", other_workspace[", ";\nstatic uint8_t other_workspace[")
    changed = {CODE: code, WRAPPER: wrapper}
    for name, before in (("metadata.json", f": {size}\n"), (HEADER, f"WORKSPACE_SIZE {size}\n")):
        changed[name] = members[name].replace(before, before.replace(size, str(2 * int(size))))
    return {**members, **changed}
