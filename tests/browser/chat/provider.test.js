// Waits for a provider that is busy or loads its model: the page shows the reason, and Stop works. And the test of a
// provider by its button.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startStrict } from '../../fake/strict.js';
import { Chat } from '../lib/chat.js';
import { asksForAnswer, PHONE, ready, stage, until } from '../lib/stage.js';

const strict = await startStrict({ server: 'llama.cpp', loading: true, models: [{ id: 'late.gguf', window: 32768 }] });
after(() => strict.stop());
const { alfred, provider, open } = await stage({ config: { models: { discover: 'no' }, 'provider.local': { kind: 'openai', base_url: strict.url, label: 'Local' } } });
const anna = await alfred.user('anna');
const note = (page) => page.locator('.live-note');

test('a busy provider: the page counts down to the next attempt, also after a reload, and Stop works', async (t) => {
    provider.next(async (call) => call.fail(429, { retryAfter: 20 }), (call) => asksForAnswer(call) && call.userText === 'Are you busy?');
    const page = await open(t, { as: anna, path: '/?choice=openai/test-model' });
    const chat = new Chat(page);
    await chat.send('Are you busy?');
    await note(page).getByText(/^The provider is busy\. Next try in (21|20|19) s\.$/).waitFor();
    await note(page).getByText(/^The provider is busy\. Next try in 1[78] s\.$/).waitFor();
    assert.match((await chat.said.getByText(/The provider is busy/).allInnerTexts()).join(), /^The provider is busy\. Next try in (21|20|19) s\.$/, 'announced once');
    const blinks = (el) => el.getAnimations().some((a) => a.effect.getTiming().iterations === Infinity);
    assert.equal(await note(page).evaluate(blinks), false, 'words to read do not blink');
    await page.reload();
    await note(page).getByText(/^The provider is busy\. Next try in \d+ s\.$/).waitFor();
    await page.getByRole('button', { name: 'Stop the answer' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    assert.equal(await note(page).count(), 0);
    await chat.reply.getByText('Stopped before the answer began.').waitFor();
    assert.equal(provider.calls.filter((c) => c.userText === 'Are you busy?' && asksForAnswer(c)).length, 1);
});

test('a server that loads its model: the page says so until the answer comes', async (t) => {
    const page = await open(t, { as: anna, path: '/?choice=local/late.gguf', viewport: PHONE });
    const chat = new Chat(page);
    await chat.send('Wake up');
    await note(page).getByText('The model is being loaded. The answer begins when it is ready.').waitFor();
    await until('it is asked again', () => strict.requests.filter((r) => r.tools > 0).length > 1);
    await note(page).waitFor();
    strict.loading = 0;
    await chat.reads('Answered by late.gguf.');
    assert.equal(await note(page).count(), 0);
});

test('a provider that reports its progress with the prompt: the page shows it in place, also after a reload', async (t) => {
    const asked = provider.call();
    const page = await open(t, { as: anna, path: '/?choice=openai/test-model', viewport: PHONE });
    const chat = new Chat(page);
    await chat.send('A long story');
    const call = await asked;
    const read = (processed) => call.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: null }, finish_reason: null }], prompt_progress: { total: 1200, cache: 200, processed, time_ms: 5 } })}\n\n`);
    call.head(200, { 'content-type': 'text/event-stream' });
    await read(200);
    await note(page).getByText('Reading the conversation, 0 %').waitFor();
    await note(page).evaluate((el) => { el.dataset.same = 'yes'; });
    await read(600);
    await note(page).getByText('Reading the conversation, 40 %').waitFor();
    assert.deepEqual([await note(page).getAttribute('data-same'), await note(page).count()], ['yes', 1]);
    assert.deepEqual(await chat.said.getByText(/Reading the conversation/).allInnerTexts(), ['Reading the conversation, 0 %'], 'announced once');
    await page.reload();
    await note(page).getByText('Reading the conversation, 40 %').waitFor();
    await call.text('Once');
    await chat.reads('Once');
    assert.equal(await note(page).count(), 0);
    await call.end();
});

test('the button Test shows results and advice at the provider', async (t) => {
    const page = await open(t, { as: anna, path: '/connect', viewport: PHONE });
    await page.getByRole('button', { name: 'Test Local' }).click();
    await page.getByText('Tested now: it answers.').waitFor();
    await ready(page);
    assert.match(page.url(), /\/connect\/test#p-local$/);
    const findings = page.locator('.findings .item');
    assert.equal(await findings.count(), 7);
    assert.match(await findings.filter({ hasText: 'Window' }).innerText(), /32,768 tokens \(\/props\)\./);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PHONE.width);
});
