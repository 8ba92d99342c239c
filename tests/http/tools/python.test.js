// The tool run_python: code of the model runs in a confined process, and the answer shows its pictures.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { beginAnswer, ended, eventsOf, exchangeWithTool, provide, send, serveFile, sessionOf, stop } from '../../lib/chat.js';
import { png, upload } from '../../lib/picture.js';
import { startAlfred, until } from '../../lib/rig.js';

const PYTHON = '/usr/bin/python3';
const provider = await provide();
const settings = (python) => ({
    models: { discover: 'no' },
    limits: { picture_bytes: 65536 },
    ...python && { python },
    'provider.main': { kind: 'openai', base_url: `${provider.url}/v1`, model: 'test-model' },
});
const alfred = await serveFile({ config: settings({ program: PYTHON, seconds: 20 }) });
const anna = await alfred.admin('anna'), bob = await alfred.user('bob');

let texts = 0;
const question = () => `Please compute, number ${++texts}.`;
const run = (code, { client = anna, text = question(), ...options } = {}) => exchangeWithTool(client, provider, text, 'run_python', { code }, options);
const offers = (call) => (call.body.tools ?? []).some((tool) => tool.function.name === 'run_python');
const folders = () => readdirSync(`${alfred.dir}/data/python`);

/** Sends a question, whose answer calls the tool, and waits until the code runs: it has made its folder. */
async function begin(code, client = anna) {
    const text = question(), sent = await send(client, text);
    const call = await beginAnswer(provider, text);
    await call.toolCall('run_python', { code });
    await call.end('tool_calls');
    await until('the code runs', () => existsSync(`${alfred.dir}/data/python`) && folders().some((name) => existsSync(`${alfred.dir}/data/python/${name}/files/begun`)));
    return { ...sent, text };
}
const BEGUN = 'open("begun", "w").close()\n';

test('the output and the value of the last expression are the result', async () => {
    const { first, result, messages, session } = await run('import math\nprint("pi is", round(math.pi, 4))\n2 ** 100');
    assert.ok(offers(first));
    assert.deepEqual(result, { exit_code: 0, output: 'pi is 3.1416\n1267650600228229401496703205376\n' });
    assert.deepEqual(messages.at(-1).pictures, []);
    assert.deepEqual(folders(), []);
    const page = (await anna.get(`/s/${session}`)).text;
    assert.match(page, /<\/svg>Ran Python/);
    assert.ok(page.includes('dir="ltr">import math\nprint(&quot;pi is&quot;'), 'the code has its lines');
    assert.ok(page.includes('dir="auto">pi is 3.1416\n1267650600228229401496703205376\n</pre>'), 'and so has what it printed');
});

test('a traceback names the lines of the code, and not those of Alfred', async () => {
    const { result } = await run('def half(n):\n    return 1 / n\n\nprint("before")\nhalf(0)');
    assert.equal(result.exit_code, 1);
    assert.match(result.output, /^before\nTraceback \(most recent call last\):\n {2}File "code.py", line 5, in <module>\n {4}half\(0\)\n(?: +[~^]+\n)? {2}File "code.py", line 2, in half\n {4}return 1 \/ n\n(?: +[~^]+\n)?ZeroDivisionError: division by zero\n$/);
    assert.match((await run('print("a"')).result.output, /File "code.py", line 1\n.*SyntaxError/s);
    assert.equal((await run('raise SystemExit(3)')).result.exit_code, 3);
    assert.match((await run('import os; os.abort()')).result.ended, /by signal \d+/);
});

test('pictures that the code saves are shown with the answer; other files are named as gone', async () => {
    const red = png().toString('base64');
    const { result, messages } = await run(`import base64\ndata = base64.b64decode("${red}")\nfor name in ("b.png", "a.png", "no.png", "data.csv"):\n    open(name, "wb").write(data if name < "c" else b"x,y")`);
    assert.equal(result.pictures, 'a.png, b.png');
    assert.equal(result.removed_files, 'data.csv, no.png');
    const { pictures } = messages.at(-1);
    assert.deepEqual(pictures.map((p) => [p.media_type, p.alt]), [['image/png', 'a.png'], ['image/png', 'b.png']]);
    assert.equal((await anna.get(pictures[0].url)).status, 200);
    assert.equal((await bob.get(pictures[0].url)).status, 404);
    assert.match((await run('open("large.png", "wb").write(bytes(70000))')).result.removed_files, /large.png/);
});

test('the code reads the files of the conversation and of its workspace, and of nobody else', async () => {
    const saved = await anna.postJson('/api/workspace/files', { workspace: 'Numbers', name: 'sales.csv', text: 'a,b\n1,2\n' });
    assert.ok(saved.status < 300, saved.text);
    assert.ok((await bob.postJson('/api/workspace/files', { workspace: 'Numbers', name: 'secret.csv', text: 'x' })).status < 300);
    const list = 'import os\nprint(sorted(os.listdir(".")))';
    const { session, result } = await run(`${list}\nprint(open("sales.csv").read())\nopen("sales.csv", "a").write("3,4")`, { workspace: 'Numbers' });
    assert.equal(result.output, "['sales.csv']\na,b\n1,2\n\n3\n");
    assert.equal(result.removed_files, 'sales.csv', 'a changed file counts as made');
    const again = (await run('print(open("sales.csv").read())', { session })).result;
    assert.deepEqual(again, { exit_code: 0, output: 'a,b\n1,2\n\n' }, 'the file itself is unchanged, and none that was only read counts as made');
    assert.equal((await run(list)).result.output, '[]\n', 'another session');
});

test('the code reads the pictures of the conversation, and the files of its messages', async () => {
    const [first, second] = [png(20, 30), png(40, 40)];
    const pictures = [(await upload(anna, first)).id, (await upload(anna, second)).id];
    const text = `${question()}\n\nnotes \u00fc.txt\n\`\`\`\nHello\n\`\`\`\n`;
    const { result } = await run('import os\nprint({n: os.path.getsize(n) for n in sorted(os.listdir("."))})', { text, pictures });
    assert.equal(result.output, `{'notes \u00fc.txt': 6, 'picture-1.png': ${second.length}, 'picture-2.png': ${first.length}}\n`);
});

test('the code reaches neither files of Alfred, nor the network, nor other processes', async () => {
    const { result } = await run(`
import ctypes, os, socket, subprocess
def tried(what):
    try: return str(what())[:20]
    except Exception as e: return type(e).__name__
print([tried(f) for f in (
    lambda: open("${alfred.dir}/data/alfred.db", "rb").read(),
    lambda: open("/etc/passwd").read(),
    lambda: open("/proc/self/environ").read(),
    lambda: os.listdir("${alfred.dir}/data"),
    lambda: open("../../other", "w"),
    lambda: open("${alfred.dir}/data/other", "w"),
    lambda: os.truncate("${alfred.dir}/data/alfred.db", 0),
    lambda: socket.socket(),
    lambda: os.fork(),
    lambda: subprocess.run(["/bin/true"]),
    lambda: os.kill(os.getppid(), 9))])`);
    assert.equal(result.output, `${JSON.stringify(Array(11).fill('PermissionError')).replaceAll('"', "'").replaceAll(',', ', ')}\n`);
    assert.equal((await run('import os\nfor _ in range(1000):\n    try: os.fork()\n    except OSError: pass\nprint("alone")')).result.output, 'alone\n');
});

test('a run ends at its limits of memory, output and disk, and says so', async () => {
    assert.match((await run('print("before")\nx = bytearray(4 << 30)')).result.output, /^before\n.*MemoryError\n$/s);
    const printed = (await run('while True: print("x" * 1000)')).result;
    assert.match(printed.ended, /printed too much/);
    assert.ok(/^x{1000}\n[x\n]+\n\[\d+ bytes are left out here\]\n[x\n]+$/.test(printed.output), 'its beginning and its end');
    assert.ok(printed.output.length <= 16 * 1024);
    assert.match((await run('n = 0\nwhile True:\n    n += 1\n    open(f"f{n}", "wb").write(bytes(1 << 20))')).result.ended, /wrote too much/);
    assert.match((await run('open("f", "wb").write(bytes(40 << 20))')).result.output, /File too large/);
    const pool = 'from concurrent.futures import ThreadPoolExecutor as Pool\nprint(sum(Pool(8).map(len, ["ab"] * 100)))';
    assert.deepEqual((await run(pool)).result, { exit_code: 0, output: '200\n' }, 'libraries such as matplotlib need threads');
    assert.match((await run('import threading, time\nthreading.stack_size(1 << 16)\nfor _ in range(80): threading.Thread(target=time.sleep, args=[60]).start()')).result.ended, /too many threads/);
    assert.deepEqual(folders(), []);
});

test('the page says that Python runs; Stop ends it at once and leaves no folder', async () => {
    const sent = await begin(`${BEGUN}while True: pass`);
    const shown = await (await eventsOf(anna, sent.turn)).until((e) => e.event === 'wait');
    assert.deepEqual(JSON.parse(shown.at(-1).data), { status: 'tool', text: 'Running Python …' });
    await stop(anna, sent.turn);
    assert.equal((await ended(anna, sent.turn)).status, 'stopped');
    const { messages } = await sessionOf(anna, sent.session);
    assert.match(messages.findLast((m) => m.role === 'tool').text, /The answer was stopped/);
    assert.deepEqual(folders(), []);
});

test('a user has two runs at a time', async () => {
    const text = question(), sent = await send(anna, text);
    const call = await beginAnswer(provider, text);
    await call.toolCalls([1, 2, 3].map((n) => ({ id: `call_${n}`, name: 'run_python', args: JSON.stringify({ code: `${BEGUN}import time\ntime.sleep(1)\nprint(${n})` }) })));
    await call.end('tool_calls');
    const next = await beginAnswer(provider, text);
    await next.text('Done.');
    await next.end();
    await ended(anna, sent.turn);
    const results = (await sessionOf(anna, sent.session)).messages.filter((m) => m.role === 'tool').map((m) => JSON.parse(m.text));
    assert.equal(results.filter((r) => r.exit_code === 0).length, 2);
    assert.equal(results.filter((r) => /Too many programs/.test(r.error)).length, 1);
});

test('blank code is refused', async () => {
    assert.match((await run('  \n')).result.error, /blank/);
});

test('a run ends at its limit of time; what a killed service has left is removed at the next start', async (t) => {
    const other = await startAlfred({ t, config: settings({ program: PYTHON, seconds: 1 }) });
    const left = `${other.dir}/data/python/abcdef/files`;
    const carl = await other.admin('carl');
    const { result } = await run('print("begun")\nwhile True: pass', { client: carl });
    assert.deepEqual(result, { ended: 'The code was ended after 1 seconds, its limit of time.', output: 'begun\n' });
    assert.match((await run('import time\ntime.sleep(100)', { client: carl })).result.ended, /after 1 seconds/);
    mkdirSync(left, { recursive: true });
    writeFileSync(`${left}/x`, 'x');
    await other.kill('stream');
    await until('the folder is removed', () => !existsSync(left));
});

test('code reads the folders of [python] reads; figures of matplotlib that it did not save become pictures', async (t) => {
    const modules = mkdtempSync(path.join(tmpdir(), 'python-'));
    t.after(() => rmSync(modules, { recursive: true }));
    mkdirSync(`${modules}/matplotlib`);
    writeFileSync(`${modules}/matplotlib/__init__.py`, '');
    writeFileSync(`${modules}/matplotlib/pyplot.py`, `import base64
class Figure:
    def savefig(self, name): open(name, "wb").write(base64.b64decode("${png().toString('base64')}"))
def get_fignums(): return [1, 2]
def figure(n): return Figure()`);
    const other = await startAlfred({ t, config: settings({ program: PYTHON, seconds: 20, reads: [modules] }) });
    const carl = await other.admin('carl');
    const plot = `import sys\nsys.path.insert(0, "${modules}")\nimport matplotlib.pyplot as plt\n`;
    assert.equal((await run(plot, { client: carl })).result.pictures, 'figure-1.png, figure-2.png');
    assert.equal((await run(`${plot}plt.figure(1).savefig("own.png")`, { client: carl })).result.pictures, 'own.png');
});

test('without [python] the tool is not offered and does not run', async (t) => {
    const other = await startAlfred({ t, config: settings(null) });
    const carl = await other.admin('carl');
    const { first, result } = await run('print(1)', { client: carl });
    assert.ok(!offers(first));
    assert.match(result.error, /no tool with this name/);
});

test('config check and the start refuse a program that is no interpreter', async (t) => {
    const check = async (lines) => {
        const folder = mkdtempSync(path.join(tmpdir(), 'python-'));
        t.after(() => rmSync(folder, { recursive: true }));
        writeFileSync(path.join(folder, 'alfred.toml'), `[python]\n${lines}\n`);
        const { code, stdout, stderr } = await alfred.cli(['config', 'check'], { env: { ALFRED_CONFIG: path.join(folder, 'alfred.toml') } });
        return `${code} ${stdout}${stderr}`;
    };
    assert.match(await check(`program = "${PYTHON}"`), /^0 /);
    assert.match(await check('program = "/usr/bin/no-python"'), /\[python\] program: \/usr\/bin\/no-python: No such file/);
    assert.match(await check('program = "/bin/cat"'), /\/bin\/cat does not answer as Python 3 does/);
    assert.match(await check(`program = "${PYTHON}"\nreads = ["data"]`), /line 3: \[python\] reads must list absolute paths/);
    assert.match(await check(`program = "${PYTHON}"\nreads = ["/"]`), /must read \/, which contains Alfred's data/);
});
