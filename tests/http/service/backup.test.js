// `alfred backup`: a valid copy during chats.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { send } from '../../lib/chat.js';
import { startAlfred } from '../../lib/rig.js';

test('a backup made during chats is a complete database', async (t) => {
    const alfred = await startAlfred({ t });
    const anna = await alfred.admin('anna');
    const kept = await send(anna, 'Keep this one');
    const copy = path.join(alfred.dir, 'copy.db');
    const chats = Promise.all(Array.from({ length: 10 }, (_, i) => send(anna, `Message ${i}`)));
    const made = await alfred.cli(['backup', copy]);
    await chats;
    assert.equal(made.code, 0, made.stderr);
    assert.equal(statSync(copy).mode & 0o777, 0o600);

    const again = await alfred.cli(['backup', copy]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /exists already/);

    const data = path.join(alfred.dir, 'restored');
    mkdirSync(data, { mode: 0o700 });
    copyFileSync(copy, path.join(data, 'alfred.db'));
    const restored = await startAlfred({ t, config: { server: { data_dir: data } } });
    const back = await restored.signIn('anna');
    assert.ok((await back.getJson(`/api/sessions/${kept.session}`)).messages.some((m) => m.text === 'Keep this one'));
});
