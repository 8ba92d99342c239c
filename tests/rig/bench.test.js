// `make bench`: missing packages are installed or named before the build, and results are stored and compared.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { addToHistory, readHistory } from '../bench/history.js';
import { Table } from '../bench/table.js';
import { ROOT } from '../lib/rig.js';

test('make bench says what is missing before it builds', (t) => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'alfred-bench-'));
    t.after(() => rmSync(dir, { recursive: true }));
    for (const name of ['Makefile', 'scripts', 'package.json', 'package-lock.json', 'cgi']) cpSync(`${ROOT}/${name}`, `${dir}/${name}`, { recursive: true });
    for (const folder of ['src', 'static', 'stubs']) mkdirSync(`${dir}/${folder}`);
    // The files on a machine that only runs Alfred.
    for (const file of ['better-sqlite3/deps/sqlite3/sqlite3.c', '@highlightjs/cdn-assets/es/highlight.min.js', 'katex/dist/katex.min.js']) {
        mkdirSync(path.dirname(`${dir}/node_modules/${file}`), { recursive: true });
        writeFileSync(`${dir}/node_modules/${file}`, '');
    }
    // None of these may use the network or run for minutes.
    for (const name of ['npm', 'apt-get', 'gcc', 'g++', 'ccache']) writeFileSync(`${dir}/stubs/${name}`, `#!/bin/sh\necho "${name} $*" >>${dir}/called\nexit 1\n`, { mode: 0o755 });
    const { MAKEFLAGS, MAKELEVEL, MFLAGS, ...env } = process.env; // of a make that runs this test
    const made = spawnSync('make', ['bench'], { cwd: dir, env: { ...env, PATH: `${dir}/stubs:${env.PATH}` }, encoding: 'utf8', timeout: 60_000 });
    const called = existsSync(`${dir}/called`) ? readFileSync(`${dir}/called`, 'utf8') : '';
    assert.notEqual(made.status, 0);
    assert.match(made.stdout + made.stderr, /installing npm packages/);
    assert.match(called, /^npm ci /m);
    assert.doesNotMatch(called, /^(gcc|g\+\+|ccache) /m);
});

test('the bench prints each figure beside that of the last run that has it', (t) => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'alfred-bench-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const file = `${dir}/new/history.jsonl`;
    const run = (date, figures) => ({ date, commit: 'abc1234', load: 1, seconds: 2, figures });
    addToHistory(run('2026-01-01T10:00', { 'memory / pages': 7, 'memory / pages / peak': 9 }), file);
    addToHistory(run('2026-01-02T10:00', { 'memory / pages': 5 }), file);
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"date": "cut of`);
    const history = readHistory(file);
    assert.equal(history.length, 2);

    const table = new Table(history);
    table.part('memory', 'Memory, for 4 s');
    table.row('pages', 4, 'MB', { aim: 3 });
    table.row('  peak', 8, 'MB');
    table.row('api', 2, 'MB');
    const lines = [];
    t.mock.method(console, 'log', (line) => lines.push(...line.split('\n')));
    table.print(run('2026-01-03T10:00', table.figures));
    assert.match(lines.find((l) => /^ {2}pages/.test(l)), /4\.00 +\(5\.00\) MB +aim at most 3: MISSED$/);
    assert.match(lines.find((l) => /^ {4}peak/.test(l)), /8\.00 +\(9\.00\) MB$/);
    assert.match(lines.find((l) => /^ {2}api/.test(l)), /2\.00 +MB$/);
    assert.equal(lines.filter((l) => l.startsWith('In parentheses')).length, 2);
    assert.deepEqual(table.figures, { 'memory / pages': 4, 'memory / pages / peak': 8, 'memory / api': 2 });
});

test('an unknown part of the bench is refused before it measures', () => {
    const { status, stderr } = spawnSync(`${ROOT}/tests/bench/run`, { env: { ...process.env, BENCH_ONLY: 'starts,nosuch' }, encoding: 'utf8', timeout: 60_000 });
    assert.equal(status, 2);
    assert.match(stderr, /there is no part nosuch; the parts are idleMemory, /);
});
