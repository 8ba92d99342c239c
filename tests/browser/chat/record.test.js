// Dictation by the transcription model of the server. Chromium's own test device takes the place of the microphone: it beeps.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fails, hangs } from '../../fake/provider.js';
import { transcribes } from '../../fake/transcriptions.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { phone, stage, until } from '../lib/stage.js';

const { alfred, provider, open } = await stage({
    flags: ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
    config: { speech: { provider: 'openai', model: 'whisper-1', max_seconds: 60 } },
});
const anna = await alfred.admin('anna');
const isSpeech = (call) => call.path.endsWith('/audio/transcriptions');
const shot = (page, name) => process.env.SHOTS_DIR && page.screenshot({ path: `${process.env.SHOTS_DIR}/record-${name}.png` });
const mic = (page, pressed) => page.getByRole('button', { name: 'Dictate', pressed });
const bar = (page) => page.getByRole('group', { name: 'Recording' });

test('a recording is written down at the cursor, Escape discards one, and a long one ends by itself', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page);
    await chat.write('Note: today.');
    await chat.box.evaluate((el) => el.setSelectionRange(5, 5));
    await mic(page, false).click();
    await mic(page, true).waitFor();
    await until('the time runs', async () => /0:(0[1-9]|[1-5]\d) \/ 1:00/.test(await bar(page).innerText()));
    assert.deepEqual(await axe(page), []);
    await shot(page, 'runs');
    provider.next(transcribes('buy milk'), isSpeech);
    await mic(page, true).click();
    await until('the text is there', async () => (await chat.box.inputValue()) === 'Note: buy milk today.');
    await mic(page, false).waitFor();
    assert.ok(await bar(page).isHidden());
    assert.ok(await chat.box.evaluate((el) => el === document.activeElement));
    const sent = provider.calls.filter(isSpeech);
    assert.deepEqual(sent.map((call) => [call.form.file.name, call.form.file.type]), [['voice.webm', 'audio/webm']]);

    await mic(page, false).click();
    await mic(page, true).waitFor();
    await page.keyboard.press('Escape');
    await mic(page, false).waitFor();
    assert.equal(provider.calls.filter(isSpeech).length, 1);

    provider.next(hangs(), isSpeech);
    await mic(page, false).click();
    await until('the time runs', async () => /0:(0[1-9]|[1-5]\d) \/ 1:00/.test(await bar(page).innerText()));
    await mic(page, true).click();
    await until('it is sent', () => provider.calls.filter(isSpeech).length === 2);
    await page.getByRole('button', { name: 'Discard' }).click();
    await provider.calls.findLast(isSpeech).gone;
    assert.ok(await bar(page).isHidden());

    await chat.write('Note:');
    await page.reload();
    await mic(page, false).evaluate((el) => { el.dataset.seconds = '1'; }); // of max_seconds
    provider.next(transcribes(''), isSpeech);
    await mic(page, false).click();
    await page.getByText('No speech was recognised').waitFor();
    assert.equal(await chat.box.inputValue(), 'Note:');
});

test('a recording whose text does not come is kept, and one that the model cannot read is sent as WAV', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of (503|415)/], ...phone }), chat = new Chat(page);
    provider.next(fails(500), isSpeech);
    await mic(page, false).click();
    await until('the time runs', async () => /0:(0[3-9]|[1-5]\d) \/ 1:00/.test(await bar(page).innerText()));
    await mic(page, true).click();
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.getByText('internal error (500)').waitFor();
    assert.deepEqual(await axe(page), []);
    await shot(page, 'kept');
    const before = provider.calls.filter(isSpeech).length;
    const webm = (file) => file.name === 'voice.webm';
    provider.next(transcribes('', { corrupt: webm }), isSpeech).next(transcribes('buy milk', { corrupt: webm }), isSpeech);
    await again.click();
    await until('the text is there', async () => (await chat.box.inputValue()) === 'buy milk');
    const [, { file }] = provider.calls.filter(isSpeech).slice(before).map((call) => call.form);
    assert.equal(file.name, 'voice.wav');
    assert.equal(file.bytes.readUInt32LE(40), file.bytes.length - 44);
    assert.ok(await bar(page).isHidden());
});
