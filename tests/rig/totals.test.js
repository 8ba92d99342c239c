// The runners of tests count skipped tests and failed hooks in their totals, and name what failed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

import { ROOT } from '../lib/rig.js';

const dir = mkdtempSync(path.join(os.tmpdir(), 'alfred-totals-'));
after(() => rmSync(dir, { recursive: true }));

/** Runs a script with a file for the totals; gives its exit code, its output and the totals. */
function run(script, file, more = {}) {
    const totals = `${dir}/totals`;
    writeFileSync(totals, '');
    const env = { ...process.env, ...more, ALFRED_TOTALS: totals };
    delete env.NODE_TEST_CONTEXT; // otherwise node --test reports to this process
    const { status, stdout } = spawnSync(`${ROOT}/scripts/${script}`, [file], { encoding: 'utf8', env });
    return { status, stdout, totals: readFileSync(totals, 'utf8') };
}

/** A program for scripts/unit that runs this script. */
function program(name, script) {
    const file = `${dir}/${name}`;
    writeFileSync(file, `#!/bin/sh\n${script}`);
    chmodSync(file, 0o755);
    return file;
}

test('scripts/nodetest counts skipped tests', () => {
    const file = `${dir}/three.test.js`;
    writeFileSync(file, `const { test } = require('node:test');
test('one', () => {});
test('two', { skip: 'a reason' }, () => {});
test('three', (t) => t.skip());
`);
    const { status, stdout, totals } = run('nodetest', file);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^.*three\.test\.js: 1 passed, 0 failed, 2 skipped$/m);
    assert.match(totals, /^1 0 2 .*three\.test\.js\n$/);
});

test('of a folder, a failed file runs once more alone: what passes then is named unstable, what fails again is a failure', () => {
    const folder = mkdtempSync(`${dir}/folder-`);
    writeFileSync(`${folder}/a.test.js`, "require('node:test').test('whole', () => {});\n");
    writeFileSync(`${folder}/b.test.js`, `const fs = require('node:fs');
require('node:test').test('the second time', () => {
    const again = fs.existsSync('${folder}/seen');
    fs.writeFileSync('${folder}/seen', '');
    if (!again) throw new Error('the first time');
});
`);
    const unstable = run('nodetest', folder);
    assert.equal(unstable.status, 0, unstable.stdout);
    assert.match(unstable.stdout, /Error: the first time/);
    assert.match(unstable.stdout, /^unstable: .*b\.test\.js failed, and passed alone$/m);
    assert.match(unstable.totals, /^2 0 0 /);
    writeFileSync(`${folder}/c.test.js`, "setTimeout(() => process.exit(3), 1); require('node:test').test('gone', () => new Promise(() => {}));\n");
    const failed = run('nodetest', folder);
    assert.notEqual(failed.status, 0);
    assert.match(failed.stdout, /ended with status 3/);
    assert.match(failed.totals, /^- .*c\.test\.js:1 .*\n2 1 0 /, 'the failed test is named');
});

test('a failed after() of a file, registered by a library, counts for the file, which runs once more', () => {
    const folder = mkdtempSync(`${dir}/hook-`);
    writeFileSync(`${folder}/library.js`, `const fs = require('node:fs');
require('node:test').after(() => {
    const again = fs.existsSync('${folder}/seen');
    fs.writeFileSync('${folder}/seen', '');
    if (!again) throw new Error('did not end');
});
`);
    writeFileSync(`${folder}/a.test.js`, "require('./library.js'); require('node:test').test('whole', () => {});\n");
    writeFileSync(`${folder}/b.test.js`, "require('node:test').test('another', () => {});\n");
    const { status, stdout, totals } = run('nodetest', folder);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /Error: did not end/);
    assert.match(stdout, /^unstable: .*a\.test\.js failed, and passed alone$/m);
    assert.match(totals, /^2 0 0 /);
});

test('scripts/unit counts skipped tests', () => {
    const file = program('program', `echo '[ RUN      ] one'
echo '[       OK ] one'
echo '[ RUN      ] two'
echo '[  SKIPPED ] two'
echo '[==========] 2 test(s) run.'
echo '[  SKIPPED ] 1 test(s), listed below:'
echo '[  SKIPPED ] two'
`);
    const { status, stdout, totals } = run('unit', file);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /: 1 passed, 0 failed, 1 skipped\n$/);
    assert.match(totals, /^1 0 1 unit, /);
});

test('scripts/unit ends a program by its processor time, not by the time that a busy machine takes', () => {
    const file = program('spins', `echo '[       OK ] one'
while :; do :; done
`);
    const { status, stdout, totals } = run('unit', file, { UNIT_LIMIT_CPU_S: '1' });
    assert.notEqual(status, 0);
    assert.match(stdout, /ended with status 152 \(more than 1 s of processor time\)/);
    assert.match(totals, /^- .*spins ended with status 152 \(more than 1 s of processor time\)\n1 1 0 unit, /);
});

test('scripts/unit names the program and its failed tests', () => {
    const file = program('fails', `echo '[ RUN      ] one'
echo '[  ERROR   ] --- 0x1 != 0x2'
echo '[  FAILED  ] one'
echo '[==========] 1 test(s) run.'
echo '[  FAILED  ] 1 test(s), listed below:'
echo '[  FAILED  ] one'
exit 1
`);
    assert.match(run('unit', file).totals, /^- .*fails one\n0 1 0 unit, /);
});
