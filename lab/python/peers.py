"""Obtains the packages that `speed.py` compares this package with.

PufferLib comes from its source distribution, which cannot be installed directly: it requires older
versions of NumPy and Gymnasium than new Pythons support, and its `setup.py` downloads the graphics
library of its games. Neither is needed to step its `rware` or to run our environment in its
vectorisation. So this module downloads and unpacks the distribution, and compiles only `rware`,
with PufferLib's own flags.
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
# What pip needs to read PufferLib's metadata. A fresh environment of Python 3.11 has an older version
# without `bdist_wheel`, and newer Pythons have none.
SETUPTOOLS = "setuptools>=70.1"
SHA256 = "7df3a3e3f5f894d78d2a1f5374097890aec01473183e748abefe4f3faa10eaa9"
ROOT = Path(__file__).resolve().parents[2]

# What to unpack besides Python files: `rware` and the graphics library it links.
UNPACKED = ("pufferlib/ocean/rware/", "pufferlib/ocean/env_binding.h", "raylib-5.5_linux_amd64/")

# pip runs its `setup.py` to read metadata. That file imports PyTorch's build helpers even when CUDA
# code is disabled, and with games disabled too it uses a name that it never defines.
STAND_IN_FOR_TORCH = """\
import builtins
from setuptools import Extension as CppExtension, Extension as CUDAExtension
from setuptools.command.build_ext import build_ext
BuildExtension = build_ext
CUDA_HOME = None
builtins.c_extension_paths = []
"""


class NotBuilt(Exception):
    """A peer cannot be built on this machine; the message says why."""


def default_folder():
    """Returns the folder for peers, inside the folder of build outputs."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "python-peers"


def has_pufferlib():
    """Returns whether PufferLib was downloaded earlier."""
    return (default_folder() / f"pufferlib-{VERSION}").is_dir()


def pufferlib(folder=None):
    """Returns the folders for `sys.path` that make `import pufferlib` work with current NumPy."""
    folder = folder or default_folder()
    source = pufferlib_source(folder)
    modules = folder / "modules"
    if not (modules / "gym").is_dir():
        # PufferLib imports Gym, the predecessor of Gymnasium, and counts cores with psutil.
        install = ["install", "--no-deps", "gym==0.26.2", "gym-notices", "psutil"]
        into_place(modules, lambda place: pip(*install, "--target", str(place)))
    return [str(source), str(modules)]


def rware(folder=None):
    """Returns PufferLib's compiled `rware`: the module that its class `Rware` calls `binding`."""
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
    """Compiles `rware` with the flags, headers and library of PufferLib's `setup.py`."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise NotBuilt("no C compiler found: install cc, gcc or clang")
    raylib = source / "raylib-5.5_linux_amd64"
    includes = [sysconfig.get_paths()["include"], np.get_include(), str(raylib / "include")]
    command = [compiler, "-shared", "-fPIC", "-O2", "-flto", "-fwrapv", "-DPLATFORM_DESKTOP"]
    command += ["-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION", "-w"]
    command += [f"-I{include}" for include in includes]
    command += [str(source / "pufferlib/ocean/rware/binding.c")]
    command += [str(raylib / "lib/libraylib.a"), "-lm", "-lpthread", "-ldl"]
    whole = library.with_suffix(f".{os.getpid()}")
    call([*command, "-o", str(whole)], "compiling PufferLib's rware failed")
    whole.rename(library)


def pufferlib_source(folder):
    """Returns the folder of the unpacked source distribution, downloading it if necessary."""
    source = folder / f"pufferlib-{VERSION}"
    if not source.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        into_place(source, fetch)
    return source


def fetch(place):
    """Downloads the source distribution and unpacks the needed parts into `place`."""
    with tempfile.TemporaryDirectory() as desk:
        unpack(download(Path(desk)), place)


def download(place):
    """Downloads the source distribution; pip verifies the hash above."""
    stand_in = place / "stand-in" / "torch" / "utils"
    stand_in.mkdir(parents=True)
    for package in (stand_in.parent, stand_in):
        (package / "__init__.py").touch()
    (stand_in / "cpp_extension.py").write_text(STAND_IN_FOR_TORCH)
    tools = place / "tools"
    pip("install", "--no-deps", "--target", str(tools), SETUPTOOLS)
    requirements = place / "requirements.txt"
    requirements.write_text(f"pufferlib=={VERSION} --hash=sha256:{SHA256}\n")
    options = ["--no-deps", "--no-binary", "pufferlib", "--no-build-isolation"]
    pip(
        *("download", *options, "--require-hashes", "-r", str(requirements), "-d", str(place)),
        PYTHONPATH=os.pathsep.join([str(stand_in.parents[1]), str(tools)]),
        NO_OCEAN="1",
        NO_TRAIN="1",
    )
    return place / f"pufferlib-{VERSION}.tar.gz"


def unpack(archive, place):
    """Unpacks the needed files of the archive, without their top-level folder."""
    with tarfile.open(archive) as files:
        for member in files:
            name = member.name.partition("/")[2]
            is_python = name.startswith("pufferlib/") and name.endswith(".py")
            if member.isfile() and (is_python or name.startswith(UNPACKED)):
                file = place / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(files.extractfile(member).read())


def into_place(folder, fill):
    """Fills a temporary folder and renames it, so that the folder is never incomplete."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        filled = Path(place) / folder.name
        filled.mkdir()
        fill(filled)
        try:
            filled.rename(folder)
        except OSError:
            if not folder.is_dir():  # otherwise another process was faster
                raise


def pip(*arguments, **environment):
    """Runs this Python's pip."""
    command = [sys.executable, "-m", "pip", "--quiet", *arguments]
    call(command, f"pip {arguments[0]} failed", {**os.environ, **environment})


def call(command, failure, environment=None):
    """Runs a program; raises `NotBuilt` with its error output if it fails."""
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if ran.returncode:
        lines = (ran.stderr or ran.stdout).strip().splitlines()
        errors = [line.strip() for line in lines if "error" in line.lower()] or lines[-1:]
        raise NotBuilt(f"{failure}: {' | '.join(errors[:2]) or f'code {ran.returncode}'}")
