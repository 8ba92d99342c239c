// nginx/alfred.service as systemd reads it: only its paths are replaced.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { ROOT } from '../lib/rig.js';

const TOOL = '/usr/bin/systemd-analyze';

test('systemd knows every setting of the unit', { skip: !existsSync(TOOL) && 'needs systemd-analyze' }, (t) => {
    const dir = mkdtempSync(`${tmpdir()}/alfred-unit-`);
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const unit = readFileSync(`${ROOT}/nginx/alfred.service`, 'utf8').replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true');
    const verify = (text) => {
        writeFileSync(`${dir}/alfred.service`, text);
        const { stderr } = spawnSync(TOOL, ['verify', `${dir}/alfred.service`], { encoding: 'utf8' });
        return stderr.split('\n').filter((line) => line.includes('alfred.service'));
    };
    assert.deepEqual(verify(unit), []);
    assert.equal(verify(unit.replace('CPUWeight=', 'CPUWeigth=')).length, 1, 'a wrong name is noticed');
});
