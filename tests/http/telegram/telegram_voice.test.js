// Voice messages and other recordings in Telegram: the model of [speech] writes them down, and their words are the question.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { answers, fails, hangs, startProvider } from '../../fake/provider.js';
import { recordings, transcribes, wavOf } from '../../fake/transcriptions.js';
import { asksForAnswer, provide } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';
import { linkPerson, startTelegram } from '../../lib/telegram.js';

const provider = await provide();
provider.always(async (call) => answers(`Asked: ${call.userText}.`)(call), asksForAnswer);
const voice = await startProvider();
after(() => voice.stop());
const { alfred, bot } = await startTelegram({
    t: { after },
    env: provider.env,
    config: {
        speech: { provider: 'voice', model: 'gpt-4o-transcribe', max_seconds: 60, timeout_seconds: 600, minute_price: '1' },
        usage: { currency: 'EUR', member_month_cost: 1 },
        'provider.voice': { kind: 'openai', base_url: `${voice.url}/v1` },
        models: { discover: 'no', default_model: 'chat/test-model' },
        'provider.chat': { kind: 'openai', base_url: provider.env.OPENAI_BASE_URL, model: 'test-model' },
    },
});
await alfred.admin('anna');
const bob = await alfred.user('bob');

let people = 2000;
function linked(name = 'anna') {
    linkPerson(alfred, ++people, name);
    return people;
}
const shows = (chat, what) => until(`chat ${chat} shows ${what}`, () => bot.texts(chat).find((text) => (what instanceof RegExp ? what.test(text) : text === what)));
const questions = (chat) => alfred.sql("SELECT m.text FROM message m JOIN channel_chat c ON c.session_id = m.session_id WHERE c.chat = ? AND m.role = 'user' ORDER BY m.id", String(chat)).map((q) => q.text);
const note = (more = {}) => bot.files.voice(recordings.ogg, more);

test('a voice message is a question; the chat shows its words before the answer', async () => {
    const chat = linked();
    voice.next(transcribes('What is *five* times\nsix?', { server: 'groq' }));
    await bot.says({ chat, more: { voice: note() } });
    await shows(chat, /^Asked: What is \*five\* times\nsix\?\.$|^Asked: What is five times/);
    assert.deepEqual(questions(chat), ['What is *five* times\nsix?']);
    const texts = bot.texts(chat), at = texts.findIndex((text) => /^Understood:/.test(text));
    assert.match(texts[at], /five/);
    assert.ok(at < texts.findIndex((text) => /^Asked:/.test(text)));
    assert.equal(voice.calls.at(-1).form.file.name, 'voice.ogg');
});

test('so are files with sound and round videos, and a caption stands before the words', async () => {
    const chat = linked();
    voice.next(transcribes('first')).next(transcribes('second')).next(transcribes('third'));
    await bot.says({ chat, more: { audio: { ...bot.files.document(recordings.mp3, 'audio/mpeg'), duration: 3 }, caption: 'Summarise' } });
    await shows(chat, /^Asked: Summarise/);
    await bot.says({ chat, more: { video_note: { ...note(), length: 240 } } });
    await shows(chat, 'Asked: second.');
    await bot.says({ chat, more: { document: bot.files.document(recordings.wav, 'audio/x-wav') } });
    await shows(chat, 'Asked: third.');
    assert.deepEqual(questions(chat), ['Summarise\n\nfirst', 'second', 'third']);
    const typed = alfred.sql("SELECT m.pasted_from FROM message m JOIN channel_chat c ON c.session_id = m.session_id WHERE c.chat = ? AND m.role = 'user' ORDER BY m.id", String(chat)).map((q) => q.pasted_from);
    assert.deepEqual(typed.map((n) => (n === null ? null : Number(n))), [11, null, 0], 'words of a file may be of somebody else, so they are no requests');
});

test('a provider that hangs holds up its chats only', async () => {
    const [slow, other, more] = [linked(), linked(), linked()];
    const calls = [];
    for (let i = 0; i < 4; i++) {
        const chat = i ? linked() : slow;
        await bot.says({ chat, more: { voice: note() } });
        calls.push(await voice.call());
    }
    await bot.says({ chat: more, more: { voice: note() } }); // waits for room
    await bot.says({ chat: other, text: 'Hello' });
    await shows(other, 'Asked: Hello.');
    await bot.until((c) => c.method === 'sendChatAction' && String(c.chat) === String(slow)); // and again while it lasts
    await until('the next typing', () => bot.of('sendChatAction').filter((c) => String(c.chat) === String(slow)).length > 1);
    await bot.says({ chat: slow, text: 'Next' });
    assert.deepEqual(questions(slow), []);
    voice.next(transcribes('late'), (call) => !calls.includes(call));
    for (const call of calls) await transcribes('at last')(call);
    await shows(slow, /^Asked: (at last|Next)/);
    await shows(more, 'Asked: late.');
});

test('each failure is a sentence, what may pass is tried again, and nothing is asked without words', async () => {
    const chat = linked(), before = voice.calls.length;
    const told = async (behave, words, message = { voice: note() }) => {
        if (behave) voice.next(behave);
        const from = bot.texts(chat).length;
        await bot.says({ chat, more: message });
        await until(`the chat is told ${words}`, () => bot.texts(chat).slice(from).find((text) => words.test(text)));
    };
    await told(transcribes('  '), /heard no words/);
    await told(transcribes('', { key: 'sk-other' }), /needs a key/);
    await told(transcribes('', { corrupt: () => true }), /cannot read the format .* Type the message instead\./);
    await told(null, /at most 60 seconds/, { voice: note({ duration: 61 }) });
    await told(null, /at most 20.MB/, { voice: note({ size: 21 * 1024 * 1024 }) });
    await told(null, /cannot be transcribed/, { voice: bot.files.voice(Buffer.from('#!AMR')) });
    assert.equal(voice.calls.length - before, 3);
    assert.deepEqual(questions(chat), []);
    voice.next(fails(503)).next(fails(429, { retryAfter: 1 })).next(transcribes('in the end'));
    await bot.says({ chat, more: { voice: note() } });
    await shows(chat, 'Asked: in the end.');
    assert.deepEqual(questions(chat), ['in the end']);
    assert.doesNotMatch(alfred.logs(), /in the end/);
});

test('a reply to a voice message has its words', async () => {
    const chat = linked();
    voice.next(transcribes('Buy milk'));
    const spoken = await bot.says({ chat, more: { voice: note() } });
    await shows(chat, 'Asked: Buy milk.');
    await bot.says({ chat, text: 'How much?', more: { reply_to_message: spoken } });
    await shows(chat, /^Asked: How much\?/);
    assert.equal(questions(chat)[1], 'How much?\n\nIn reply to:\n\n> Buy milk');
});

test('recordings are counted, a file that is too long is refused, and a member at the limit is told so', async () => {
    const chat = linked('bob');
    await bot.says({ chat, more: { document: bot.files.document(wavOf(71), 'audio/wav') } });
    await shows(chat, /at most 60 seconds/);
    voice.next(transcribes('Good', { server: 'vllm', lasts: 60 }));
    await bot.says({ chat, more: { voice: note({ duration: 1 }) } });
    await shows(chat, 'Asked: Good.');
    const sums = (await bob.getJson('/api/usage')).models.find((m) => m.provider === 'voice');
    assert.deepEqual([sums.answers, sums.audio_seconds, sums.cost], [1, 60, 1_000_000], 'not what Telegram says');
    const before = voice.calls.length;
    await bot.says({ chat, more: { voice: note() } });
    await shows(chat, /1 EUR for this month are spent/);
    assert.equal(voice.calls.length, before);
});

test('a stop of Alfred in the middle loses no voice message', async () => {
    const chat = linked();
    voice.next(hangs());
    const before = voice.calls.length;
    await bot.says({ chat, more: { voice: note() } });
    await until('the provider is asked', () => voice.calls.length > before);
    voice.next(transcribes('after the stop'));
    alfred.kill('helper', 'SIGTERM');
    await voice.calls[before].gone;
    await shows(chat, 'Asked: after the stop.');
    assert.deepEqual(questions(chat), ['after the stop']);
});
