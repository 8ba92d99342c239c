// A call of a connected tool that waits for a button below a message in Telegram.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startMcp, text, tool } from '../../fake/mcp.js';
import { answers } from '../../fake/provider.js';
import { asksForAnswer, provide } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';
import { startTelegram } from '../../lib/telegram.js';

const CHAT = 42;
const door = await startMcp({ tools: [tool('unlock', { title: 'Unlock' })], call: () => text('The door is open.') });
after(() => door.stop());

async function start(t) {
    const provider = await provide();
    const { alfred, bot } = await startTelegram({ t, env: provider.env, config: { 'mcp.door': { url: door.url, label: 'Door', tools: ['all'], ask: 'changes' } } });
    await alfred.admin('anna');
    bot.chatOf(CHAT);
    alfred.sql("INSERT INTO channel_identity (channel, external_id, name, user_id, created_at, linked_at) VALUES ('telegram', ?, 'Anna', 1, 1, 1)", String(CHAT));
    await until('the list of tools', () => alfred.sql('SELECT name FROM mcp_server WHERE listed_at > 0').length === 1);
    return { provider, alfred, bot };
}
const isQuestion = (m) => m.text.includes('Door: Unlock') && m.reply_markup;
const ofTurn = (words) => (c) => asksForAnswer(c) && c.prompt.includes(words);

/** Asks in the chat; the model calls the tool. Gives the message with the question. */
async function asksToUnlock({ bot, provider }, words) {
    await bot.says({ chat: CHAT, text: words });
    const call = await provider.call(ofTurn(words));
    await call.start();
    await call.toolCall('door_unlock', { door: 'garden' });
    await call.end('tool_calls');
    return until('the question', () => bot.shown(CHAT).find(isQuestion));
}

test('the question comes while the answer runs, and its button lets the call be made', async (t) => {
    const it = await start(t), before = door.calls.length;
    const question = await asksToUnlock(it, 'Open the garden door');
    assert.match(question.text, /^Allow\s+Door: Unlock \(door: garden\)$/);
    assert.deepEqual(question.reply_markup.inline_keyboard.flat().map((b) => b.text), ['Allow', 'Refuse']);
    assert.equal(door.calls.length, before);
    await it.bot.press(CHAT, 'Allow');
    await answers('It is open.')(await it.provider.call(ofTurn('Open the garden door')));
    await until('the answer', () => it.bot.texts(CHAT).includes('It is open.'));
    assert.equal(door.calls.length, before + 1);
    assert.equal(it.bot.texts(CHAT).filter((x) => /^Allow\s/.test(x)).length, 1, 'it is asked once');
    assert.deepEqual(it.bot.complaints, []);
});

test('a refused call is not made; a restart of the helper asks no second time', async (t) => {
    const it = await start(t), before = door.calls.length;
    await asksToUnlock(it, 'Open it');
    await it.alfred.killAndAwait('helper');
    await it.bot.press(CHAT, 'Refuse');
    await answers('It stays closed.')(await it.provider.call(ofTurn('Open it')));
    await until('the answer', () => it.bot.texts(CHAT).includes('It stays closed.'));
    assert.equal(door.calls.length, before);
    assert.equal(it.bot.texts(CHAT).filter((x) => /^Allow\s/.test(x)).length, 1);
    assert.deepEqual(it.bot.complaints, []);
});
