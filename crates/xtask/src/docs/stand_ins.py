"""Stand-ins for the frameworks that the modules of the package import, which take long to install.

The modules need their classes as base classes and in signatures only, and call a few functions while
they are imported. A stand-in has every name: a class that takes any arguments.
"""

import importlib.abc
import importlib.machinery
import sys
import types

PACKAGES = {"pufferlib", "pyspiel", "ray", "stable_baselines3", "tensordict", "torch", "torchrl"}


def made(name, module):
    """Returns a new class, or raises `AttributeError` if the name is special."""
    if name.startswith("_"):
        raise AttributeError(name)
    members = {"__module__": module, "__init__": lambda self, *values, **options: None}
    return Named(name, (), members)


class Named(type):
    def __getattr__(cls, name):
        # The package's own classes, which are derived from stand-ins, have only the names that they define.
        if cls.__module__.partition(".")[0] not in PACKAGES:
            raise AttributeError(name)
        return made(name, cls.__module__)


class StandIn(types.ModuleType):
    def __getattr__(self, name):
        value = made(name, self.__name__)
        setattr(self, name, value)
        return value


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] in PACKAGES:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, Finder())
