# Runs the code that is its standard input (python_run.c): like a notebook, it shows the value of a last expression,
# and figures of matplotlib that the code has not saved become pictures.
import ast, linecache, sys, traceback

NAME = "code.py"
code = sys.stdin.read()
linecache.cache[NAME] = (len(code), None, code.splitlines(True), NAME)


def save_figures():
    import os
    plots = sys.modules.get("matplotlib.pyplot")
    if plots and not any(f.lower().endswith((".png", ".jpg", ".jpeg", ".webp")) for f in os.listdir(".")):
        for n in plots.get_fignums():
            plots.figure(n).savefig(f"figure-{n}.png")


def run():
    tree = ast.parse(code, NAME)
    last = [tree.body.pop()] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
    scope = {"__name__": "__main__", "__builtins__": __builtins__}
    exec(compile(tree, NAME, "exec"), scope)
    exec(compile(ast.Interactive(last), NAME, "single"), scope)
    save_figures()


try:
    run()
except SystemExit:
    raise
except BaseException as e:
    shown = traceback.TracebackException.from_exception(e)
    while shown.stack and shown.stack[0].filename != NAME:
        del shown.stack[0]
    sys.stdout.flush()
    sys.stderr.write("".join(shown.format()))
    sys.exit(1)
