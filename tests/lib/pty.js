// A program in a terminal: `script` of util-linux makes it, because node has none. Waits are for output.
//
//     const terminal = startTerminal('alfred chat', { env, cwd, columns: 60 });
//     await terminal.shows(/> $/);
//     terminal.type('Hello\r');
//     terminal.resize(40);
//     assert.equal(await terminal.ends(), 0);
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import { after } from 'node:test';

import { Output } from './output.js';
import { WAIT_MS } from './rig.js';

/** A home folder of its own: no session to resume, no stored token. */
export function home() {
    const dir = mkdtempSync(`${os.tmpdir()}/alfred-home-`);
    after(() => rmSync(dir, { recursive: true, force: true }));
    return dir;
}

/** The text of the output without escape sequences: what was written, in its order. */
// eslint-disable-next-line no-control-regex
export const plain = (output) => output.replace(/\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>()][0-9A-B]?|\r/g, '');

class Terminal {
    #output = new Output();
    #from = 0;

    constructor(command, { env, cwd, columns, rows }) {
        // The name of the terminal comes first; `exec` keeps the signals of the group.
        const line = `tty; stty cols ${columns} rows ${rows}; exec ${command}`;
        this.child = spawn('script', ['-qfec', line, '/dev/null'], { env: { ...env, SHELL: '/bin/sh' }, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
        this.child.stdin.on('error', () => {});
        this.child.stdout.setEncoding('utf8').on('data', (s) => this.#output.add(s));
        this.ended = new Promise((resolve) => this.child.on('close', (code) => {
            this.code = code;
            this.#output.look();
            resolve(code);
        }));
    }

    /** The whole output. */
    get raw() {
        return this.#output.text;
    }

    /** The output since the last match of shows(), without escape sequences. */
    get text() {
        return plain(this.raw.slice(this.#from));
    }

    /** Waits until the new output matches; returns the match. Later calls see only what came after. */
    shows(pattern) {
        const find = () => {
            const text = this.text;
            const match = text.match(pattern);
            if (match) {
                this.seen = text;
                this.#from = this.raw.length;
            } else if (this.code !== undefined) throw new Error(`the program ended (${this.code}) without ${pattern}: ${JSON.stringify(text)}`);
            return match;
        };
        return this.#output.wait(find, WAIT_MS, () => new Error(`no ${pattern} in ${JSON.stringify(this.text)}`));
    }

    type(keys) {
        this.child.stdin.write(keys);
    }

    /** The exit code, at the end. */
    async ends() {
        const timer = setTimeout(() => this.kill(), WAIT_MS);
        const code = await this.ended;
        clearTimeout(timer);
        return code;
    }

    get name() {
        return this.raw.match(/\/dev\/pts\/\d+/)[0];
    }
    /** Changes the size of the window; the program gets SIGWINCH. */
    resize(columns, rows = 24) {
        execFileSync('stty', ['-F', this.name, 'cols', String(columns), 'rows', String(rows)]);
    }
    /** The settings of the terminal, as `stty -a` prints them. */
    settings() {
        return execFileSync('stty', ['-F', this.name, '-a'], { encoding: 'utf8' });
    }
    kill() {
        this.child.kill('SIGKILL');
    }
}

export const startTerminal = (command, { env, cwd, columns = 80, rows = 24 }) => new Terminal(command, { env: { TERM: 'xterm-256color', ...env }, cwd, columns, rows });
