# Prints the folders that this interpreter reads (python_interpreter.c), one in a line.
import os, sys

found = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *sys.path]
found += [os.path.dirname(os.path.realpath(m.__file__)) for m in list(sys.modules.values()) if getattr(m, "__file__", None)]
for folder in sorted({os.path.realpath(f) for f in found if f}):
    if os.path.isdir(folder):
        print(folder)
