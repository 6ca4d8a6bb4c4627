

class _Pacman2Importer:
    """Finds the modules above, as Python finds those of a folder."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in _pacman2_modules:
            from importlib.util import spec_from_loader

            return spec_from_loader(name, _Pacman2Importer, is_package=_pacman2_modules[name][1])

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        import os

        file, _, source = _pacman2_modules[module.__name__]
        module.__file__ = os.path.join(os.path.dirname(os.path.abspath(__file__)), file)
        exec(compile(source, module.__file__, "exec", dont_inherit=True), module.__dict__)

    @staticmethod
    def get_source(name):
        return _pacman2_modules[name][2]


def _pacman2_install():
    import sys

    # After built-in modules and before files, as for modules beside a program.
    names = [getattr(finder, "__name__", "") for finder in sys.meta_path]
    sys.meta_path.insert(names.index("PathFinder") if "PathFinder" in names else len(names), _Pacman2Importer)


_pacman2_install()

