// docs/commands.md matches the table of commands.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { commands, document } from '../../scripts/commands.js';
import { ROOT } from '../lib/rig.js';

test('docs/commands.md is of today: after a change of the table or its texts run "make commands"', () => {
    assert.ok(commands().length > 20);
    assert.ok(commands().every((c) => c.during && (c.help === null || c.group)));
    assert.equal(readFileSync(`${ROOT}/docs/commands.md`, 'utf8'), document());
});

test('the script reads every row of the table', () => {
    const source = readFileSync(`${ROOT}/src/app/command/command.c`, 'utf8');
    assert.equal(commands().length, source.match(/COMMAND_(BESIDE|STOPS|REFUSED),/g).length);
});
