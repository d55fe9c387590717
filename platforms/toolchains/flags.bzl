"""Compiler flags of every CPU, once. Plain literals only: Bazel's cc_toolchains load() this file, and Python
(`tinsmith_toolchains.flags`) reads the same assignments with `ast.literal_eval`.

"clang" flags are for the plain clang driver of the ziglang wheel (`zig clang`, not `zig cc`): no hidden
-ffreestanding (which would turn 4-byte memcpy into calls), no sanitizers by default, no second cache.
"gcc" flags are for arm-none-eabi-gcc 12. "zig_target" and "zig_cpu" name the same CPU to `zig build-lib`,
which builds compiler-rt (divisions, soft float) from the wheel's own source. "kernels" is what kernels/cmsis_nn is
built as for it: plain C, for the DSP extension, or for MVE.
"""

CPU_FLAGS = {
    "cortex-m0": {
        "clang": ["--target=thumbv6m-none-eabi", "-mcpu=cortex-m0", "-mfloat-abi=soft"],
        "gcc": ["-mthumb", "-mcpu=cortex-m0", "-mfloat-abi=soft"],
        "zig_target": "thumb-freestanding-eabi",
        "zig_cpu": "cortex_m0",
        "kernels": "c",
    },
    "cortex-m3": {
        "clang": ["--target=thumbv7m-none-eabi", "-mcpu=cortex-m3", "-mfloat-abi=soft"],
        "gcc": ["-mthumb", "-mcpu=cortex-m3", "-mfloat-abi=soft"],
        "zig_target": "thumb-freestanding-eabi",
        "zig_cpu": "cortex_m3",
        "kernels": "c",
    },
    "cortex-m4": {
        "clang": ["--target=thumbv7em-none-eabihf", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
        "gcc": ["-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
        "zig_target": "thumb-freestanding-eabihf",
        "zig_cpu": "cortex_m4",
        "kernels": "dsp",
    },
    "cortex-m7": {
        "clang": ["--target=thumbv7em-none-eabihf", "-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"],
        "gcc": ["-mthumb", "-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"],
        "zig_target": "thumb-freestanding-eabihf",
        "zig_cpu": "cortex_m7+fp_armv8d16",
        "kernels": "dsp",
    },
    "cortex-m33": {
        "clang": ["--target=thumbv8m.main-none-eabihf", "-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"],
        "gcc": ["-mthumb", "-mcpu=cortex-m33", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard"],
        "zig_target": "thumb-freestanding-eabihf",
        "zig_cpu": "cortex_m33",
        "kernels": "dsp",
    },
    # The clang driver turns MVE on with the CPU; zig's own spelling has to name it.
    "cortex-m55": {
        "clang": ["--target=thumbv8.1m.main-none-eabihf", "-mcpu=cortex-m55", "-mfloat-abi=hard"],
        "gcc": ["-mthumb", "-mcpu=cortex-m55", "-mfloat-abi=hard"],
        "zig_target": "thumb-freestanding-eabihf",
        "zig_cpu": "cortex_m55+mve+mve_fp",
        "kernels": "mve",
    },
    "riscv32": {
        "clang": ["--target=riscv32-none-elf", "-march=rv32imc", "-mabi=ilp32", "-mcmodel=medany"],
        "zig_target": "riscv32-freestanding-none",
        "zig_cpu": "generic_rv32+m+c",
        "kernels": "c",
    },
    # A core of a PULP cluster: CORE-V (CV32E40P v2). Never xcvbitmanip: LLVM 18 to 22 take its cv.fl1, a bit's position,
    # for a count of leading zeros, and miscompile __builtin_clz and 64-bit divisions (llvm-project issue 197006).
    # The core does unaligned accesses itself. Hardware loops want distances known to the assembler: no relaxation.
    # Functions begin with a line of the instruction cache: code that grows elsewhere leaves their cycles as they are.
    # Several targets have this CPU; networks are compiled for the one that network_target names.
    "riscv32-corev": {
        "clang": [
            "--target=riscv32-none-elf",
            "-march=rv32imc_zicsr_xcvalu_xcvbi_xcvmac_xcvmem_xcvsimd",
            "-mabi=ilp32",
            "-mno-strict-align",
            "-mno-relax",
            "-falign-functions=16",
        ],
        "zig_target": "riscv32-freestanding-none",
        "zig_cpu": "generic_rv32+m+c",
        "network_target": "pulp-open",
        "kernels": "c",
    },
    "host": {
        "clang": [],
        "gcc": [],
        "zig_target": "x86_64-linux-musl",
        "zig_cpu": "baseline",
        "kernels": "c",
    },
}

# The CPU of each target of `tinsmith targets` that is not named as its CPU.
TARGET_CPUS = {
    "pulp-open": "riscv32-corev",
    "siracusa": "riscv32-corev",
    "gap9": "riscv32-corev",
    "diana": "riscv32-corev",
    "diana-images": "riscv32-corev",
}

# What //platforms/simulators/soc runs; QEMU runs the others, and the host itself.
SIMULATED_TARGETS = ["pulp-open", "siracusa", "gap9", "diana", "diana-images"]

# Same bytes for the same input everywhere; every function and table alone in its section, so that the linker
# drops what a network does not call and a report can say what each part weighs.
COMMON_FLAGS = [
    "-std=c11",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-fomit-frame-pointer",
    "-fno-stack-protector",
    "-fno-ident",
    "-fno-common",
]

WARNING_FLAGS = ["-Wall", "-Wextra"]

# For clang on boards, at every level. It unrolls loops of unknown length by four, which GCC does not: measured on the
# MLPerf Tiny networks that costs 15 to 25 % more code on Cortex-M3, M4 and M7, and 0.3 % more instructions with blocked
# kernels, 20 % with plain ones. Loops of known length are still unrolled (-fno-unroll-loops would stop that, too).
CLANG_FLAGS = ["-mllvm", "-unroll-runtime=false"]

# What `optimize` may be.
OPTIMIZE_FLAGS = {
    "debug": ["-O1", "-g"],
    "size": ["-Os"],
    "speed": ["-O2"],
    "fast": ["-O3"],
}

DEFAULT_OPTIMIZE = "speed"

LINK_FLAGS = ["--gc-sections", "--build-id=none", "-z", "max-page-size=4"]

SANITIZE_FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"]

