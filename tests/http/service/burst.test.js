// Many sends within a short time, against the real stream program.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, ended, newClientId, provide, serveFile } from '../../lib/chat.js';

const provider = await provide();
provider.always(answers('Yes.'), asksForAnswer);
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');
const SENDS = 200;

const send = (i) => anna.postJson('/api/sessions/new/messages', { text: `Question ${i}`, client_id: newClientId() });

test('200 sends at once are all answered', async () => {
    const sent = await Promise.all(Array.from({ length: SENDS }, (_, i) => send(i)));
    const statuses = {};
    for (const s of sent) statuses[s.status] = (statuses[s.status] ?? 0) + 1;
    assert.deepEqual(statuses, { 202: SENDS }, sent.find((s) => s.status !== 202)?.text);
    const ends = await Promise.all(sent.map((s) => ended(anna, s.json.turn)));
    assert.deepEqual([...new Set(ends.map((e) => e.status))], ['done']);
});

test('200 sends one after the other are all answered', async () => {
    for (let i = 0; i < SENDS; i++) {
        const sent = await send(i);
        assert.equal(sent.status, 202, `${i}: ${sent.text}`);
    }
});
