// A disk that breaks while Alfred runs: ext4 makes itself read-only. A clear sentence, reading continues, and after the
// repair everything is there that was confirmed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { beginTurn, exchange, follow, provide, say, sessionOf, Transcript } from '../../lib/chat.js';
import { breakableDisk } from '../../lib/disk.js';
import { startAlfred } from '../../lib/rig.js';

const disk = breakableDisk();
const { reason } = disk;
const provider = await provide();

test('a disk that is suddenly read-only: changes are refused with the reason, readers and a running answer go on, a backup works', { skip: reason }, async () => {
    const options = { t: disk.t, env: provider.env, config: { server: { data_dir: disk.dir } } };
    const alfred = await startAlfred(options);
    const anna = await alfred.admin('anna');
    const { session } = await exchange(anna, provider, 'Before', 'Stored');
    await anna.get('/');
    const running = await beginTurn(anna, provider, 'Breaks meanwhile');
    const page = new Transcript();
    await say(running.call, running.events, page, 'Seen before. ');
    execFileSync('sync', ['-f', disk.dir]); // Linux does so by itself after half a minute
    disk.break();
    for (const refused of [
        await anna.postJson('/api/tasks', { text: 'Milk' }),
        await anna.request('PATCH', `/api/sessions/${session}`, { json: { title: 'Another title' } }),
    ]) {
        assert.equal(refused.status, 503, refused.text);
        assert.equal(refused.json.error.message, 'The disk of this server does not work (it can only be read). Nothing was saved.');
        assert.ok(Number(refused.headers['retry-after']) > 0);
    }
    await running.call.text('y'.repeat(20_000)).catch(() => {}); // more than the rest of the log's last block
    const unsaved = (await follow(running.events, page, (e) => e.event === 'unsaved')).at(-1);
    assert.match(JSON.parse(unsaved.data).text, /disk of this server is full or broken.*keeps trying/);
    assert.match(page.live, /Seen before\./);
    const form = await anna.post('/tasks', { text: 'Milk' });
    assert.equal(form.status, 503);
    assert.match(form.text, /can only be read/);
    assert.equal((await anna.get(`/s/${session}`)).status, 200);
    const backup = await alfred.cli(['backup', `${alfred.dir}/rescued.db`]);
    assert.equal(backup.code, 0, backup.stderr);
    await alfred.stop();
    disk.repair();
    const again = await startAlfred({ ...options, dir: alfred.dir });
    const later = await again.signIn('anna');
    assert.deepEqual((await sessionOf(later, session)).messages.map((m) => m.text), ['Before', 'Stored']);
    const cut = (await sessionOf(later, running.session)).messages.at(-1);
    assert.equal(cut.status, 'interrupted');
    assert.ok(cut.text.startsWith('Seen before. '), cut.text.slice(0, 100));
    assert.equal((await later.postJson('/api/tasks', { text: 'Milk' })).status, 201);
});
