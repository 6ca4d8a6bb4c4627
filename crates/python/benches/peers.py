"""The peers that `speed.py` measures beside this package, from where everybody gets them.

PufferLib comes from its source distribution. That one can't be installed as it is: it wants older
versions of NumPy and Gymnasium than there are for new Pythons, and its `setup.py` loads the
graphics library of its games from the network. None of this is needed to step its `rware`, nor to
try its vectorisation on ours; so here it is fetched, unpacked, and that one game compiled with its
own flags.
"""

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

import numpy as np

VERSION = "3.0.0"
SHA256 = "7df3a3e3f5f894d78d2a1f5374097890aec01473183e748abefe4f3faa10eaa9"
ROOT = Path(__file__).resolve().parents[3]

# What is taken from the source distribution: its Python, `rware`, and the library it draws with.
WANTED = ("pufferlib/ocean/rware/", "pufferlib/ocean/env_binding.h", "raylib-5.5_linux_amd64/")

# Its `setup.py` imports PyTorch to build CUDA code, even where it is told not to; and told not to
# build its games either, it stumbles over a name that it has not set. pip runs it to read metadata.
STAND_IN_FOR_TORCH = """\
import builtins
from setuptools import Extension as CppExtension, Extension as CUDAExtension
from setuptools.command.build_ext import build_ext
BuildExtension = build_ext
CUDA_HOME = None
builtins.c_extension_paths = []
"""


class NotBuilt(Exception):
    """A peer cannot be had on this machine; the message says why."""


def default_folder():
    """Where peers are kept: in the folder of build outputs."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "python-peers"


def pufferlib(folder=None):
    """The folders for `sys.path` that make `import pufferlib` work beside today's NumPy."""
    folder = folder or default_folder()
    source = pufferlib_source(folder)
    modules = folder / "modules"
    if not (modules / "gym").is_dir():
        # It reads spaces of Gymnasium's predecessor, too, and counts the cores of the machine.
        install = ["install", "--no-deps", "gym==0.26.2", "gym-notices", "psutil"]
        into_place(modules, lambda place: pip(*install, "--target", str(place)))
    return [str(source), str(modules)]


def rware(folder=None):
    """PufferLib's `rware`, compiled: the module that its class `Rware` calls `binding`."""
    folder = folder or default_folder()
    source = pufferlib_source(folder)
    library = folder / "rware" / f"binding{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not library.exists():
        library.parent.mkdir(exist_ok=True)
        compile_rware(source, library)
    loader = importlib.machinery.ExtensionFileLoader("binding", str(library))
    spec = importlib.util.spec_from_loader("binding", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def compile_rware(source, library):
    """As its `setup.py` would: the same flags, headers and library."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise NotBuilt("there is no C compiler: neither cc, gcc nor clang is found")
    raylib = source / "raylib-5.5_linux_amd64"
    includes = [sysconfig.get_paths()["include"], np.get_include(), str(raylib / "include")]
    command = [compiler, "-shared", "-fPIC", "-O2", "-flto", "-fwrapv", "-DPLATFORM_DESKTOP"]
    command += ["-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION", "-w"]
    command += [f"-I{include}" for include in includes]
    command += [str(source / "pufferlib/ocean/rware/binding.c")]
    command += [str(raylib / "lib/libraylib.a"), "-lm", "-lpthread", "-ldl"]
    whole = library.with_suffix(f".{os.getpid()}")
    call([*command, "-o", str(whole)], "PufferLib's rware is not compiled")
    whole.rename(library)


def pufferlib_source(folder):
    """The unpacked source distribution, fetched if it isn't there."""
    source = folder / f"pufferlib-{VERSION}"
    if not source.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        into_place(source, fetch)
    return source


def fetch(place):
    """Unpacks what is wanted of the source distribution there."""
    with tempfile.TemporaryDirectory() as desk:
        unpack(download(Path(desk)), place)


def download(place):
    """The source distribution as a file; pip compares it with the hash above."""
    stand_in = place / "stand-in" / "torch" / "utils"
    stand_in.mkdir(parents=True)
    for package in (stand_in.parent, stand_in):
        (package / "__init__.py").touch()
    (stand_in / "cpp_extension.py").write_text(STAND_IN_FOR_TORCH)
    wanted = place / "wanted.txt"
    wanted.write_text(f"pufferlib=={VERSION} --hash=sha256:{SHA256}\n")
    options = ["--no-deps", "--no-binary", "pufferlib", "--no-build-isolation"]
    pip(
        *("download", *options, "--require-hashes", "-r", str(wanted), "-d", str(place)),
        PYTHONPATH=str(stand_in.parents[1]),
        NO_OCEAN="1",
        NO_TRAIN="1",
    )
    return place / f"pufferlib-{VERSION}.tar.gz"


def unpack(archive, place):
    """What is wanted of the archive, without its first folder."""
    with tarfile.open(archive) as files:
        for member in files:
            name = member.name.partition("/")[2]
            is_python = name.startswith("pufferlib/") and name.endswith(".py")
            if member.isfile() and (is_python or name.startswith(WANTED)):
                file = place / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(files.extractfile(member).read())


def into_place(folder, fill):
    """Fills a folder under another name first, so that nobody ever finds half of it."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        filled = Path(place) / folder.name
        filled.mkdir()
        fill(filled)
        try:
            filled.rename(folder)
        except OSError:
            if not folder.is_dir():  # else somebody else was faster
                raise


def pip(*arguments, **environment):
    """Runs this Python's pip."""
    command = [sys.executable, "-m", "pip", "--quiet", *arguments]
    call(command, f"pip {arguments[0]} failed", {**os.environ, **environment})


def call(command, failure, environment=None):
    """Runs a program; raises with the last thing that it said."""
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if ran.returncode:
        said = (ran.stderr or ran.stdout).strip().splitlines()
        errors = [line.strip() for line in said if "error" in line.lower()] or said[-1:]
        raise NotBuilt(f"{failure}: {' | '.join(errors[:2]) or f'code {ran.returncode}'}")
