// A full disk under the program `hooks`: Telegram gets no acknowledgement of what is not stored, and sends it again.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, provide } from '../../lib/chat.js';
import { smallDisk } from '../../lib/disk.js';
import { until } from '../../lib/rig.js';
import { linkPerson, startTelegram } from '../../lib/telegram.js';

const ANNA = 42;
const disk = smallDisk();
const { dir, reason, makeRoom } = disk;
afterEach(() => dir && makeRoom());

test('an update that finds no room is refused, and answered once when there is room', { skip: reason }, async () => {
    const provider = await provide();
    provider.always(async (call) => answers(`You wrote: ${call.userText}`)(call), asksForAnswer);
    const { alfred, bot } = await startTelegram({ t: disk.t, env: provider.env, config: { server: { data_dir: dir } } });
    await alfred.admin('anna');
    linkPerson(alfred, ANNA, 'anna');
    await bot.says({ chat: ANNA, text: 'before' });
    await until('the answer', () => bot.texts(ANNA).includes('You wrote: before'));
    await until('nothing is under way', () => alfred.sql("SELECT 1 FROM outbox WHERE state <> 'sent'").length === 0);
    const pids = alfred.pids('hooks');
    const db = new DatabaseSync(`${dir}/alfred.db`);
    await until('the write-ahead log is empty', () => db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get().busy === 0);
    db.close();
    disk.fill();
    const text = `without room ${'x'.repeat(3500)}`;
    const said = bot.says({ chat: ANNA, text });
    await until('it is refused three times', () => bot.deliveries.filter((d) => d.status === 503).length >= 3);
    assert.ok(!bot.texts(ANNA).some((t) => t.includes('without room')));
    makeRoom();
    await said;
    await until('the answer', () => bot.texts(ANNA).includes(`You wrote: ${text}`));
    assert.equal(bot.texts(ANNA).filter((t) => t === `You wrote: ${text}`).length, 1);
    const refused = bot.deliveries.find((d) => d.status === 503).update_id;
    assert.deepEqual(bot.deliveries.filter((d) => d.update_id === refused).map((d) => d.status).filter((s) => s !== 503), [200], 'acknowledged once, at the end');
    assert.ok(!bot.texts(ANNA).some((t) => /disk|sqlite|SQLITE/.test(t)), 'no internal error in the chat');
    assert.deepEqual(alfred.pids('hooks'), pids);
});
