// Speech and notifications. The browser's own parts (voices, microphone, notifications of the system) are replaced by
// recorders with the same interface.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { callsTool } from '../../fake/provider.js';
import { ended, exchange, send } from '../../lib/chat.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { answers, asksForAnswer, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, blank, context, asked } = await stage();
const anna = await alfred.admin('anna');
const shot = (page, name) => process.env.SHOTS_DIR && page.screenshot({ path: `${process.env.SHOTS_DIR}/aloud-${name}.png` });

/** Voices that speak when the test says so: window.spoken, window.finish(). */
function voices() {
    window.spoken = [];
    let now = null;
    window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
    Object.defineProperty(window, 'speechSynthesis', { value: {
        getVoices: () => [{ lang: 'de-DE', localService: true }, { lang: 'en-GB', localService: true }],
        speak: (u) => { now = u; window.spoken.push([u.lang, u.text]); },
        cancel: () => { const was = now; now = null; was?.onerror?.({ error: 'canceled' }); },
    } });
    window.finish = () => { const was = now; now = null; was?.onend(); };
}

for (const [where, options] of [['a desktop', {}], ['a phone', phone]]) {
    test(`an answer is read by sentence, each block in its language, on ${where}`, async (t) => {
        const { session } = await exchange(anna, provider, `Read (${where})`, 'This is the first. And the second is here.\n\nDas ist der dritte Satz, und er ist nicht auf Englisch.\n\n```js\nno()\n```');
        const page = await blank(t, { as: anna, ...options });
        await page.addInitScript(voices);
        await page.goto(`/s/${session}`);
        await ready(page);
        const chat = new Chat(page);
        await chat.act(chat.reply, 'Read aloud').click();
        const stop = chat.act(chat.reply, 'Stop reading');
        await stop.waitFor();
        assert.deepEqual(await axe(page), []);
        await shot(page, where);
        for (let i = 0; i < 3; i++) await page.evaluate(() => window.finish());
        assert.deepEqual(await page.evaluate(() => window.spoken), [['en', 'This is the first.'], ['en', 'And the second is here.'], ['de', 'Das ist der dritte Satz, und er ist nicht auf Englisch.']]);
        await chat.act(chat.reply, 'Read aloud').waitFor();

        await chat.act(chat.reply, 'Read aloud').click();
        await stop.click();
        await chat.act(chat.reply, 'Read aloud').press('Enter');
        await stop.waitFor();
        await page.keyboard.press('Escape');
        await chat.act(chat.reply, 'Read aloud').waitFor();
        assert.equal((await page.evaluate(() => window.spoken)).length, 5);
    });
}

test('the row of the box has one line on a phone', async (t) => {
    const { session } = await exchange(anna, provider, 'Row?', 'One line.');
    const page = await open(t, { as: anna, path: `/s/${session}`, ...phone });
    const tops = await page.locator('.composer-row > :is(.choice, .gauge, .send)').evaluateAll((all) => all.map((el) => el.getBoundingClientRect()).filter((b) => b.height).map((b) => Math.round(b.top + b.height / 2)));
    assert.equal(new Set(tops).size, 1, tops.join(', '));
});

/** A new chat that listens: `says()` are the results so far, as texts or as lists of text and confidence, which are final. */
async function dictation(t, text, options = {}) {
    const page = await blank(t, { as: anna, ...options });
    await page.addInitScript(() => {
        window.SpeechRecognition = window.webkitSpeechRecognition = class {
            start() { window.recognition = this; }
            stop() { this.onend(); }
            abort() { this.onend(); }
        };
    });
    await page.goto('/');
    await ready(page);
    const chat = new Chat(page);
    await chat.write(text);
    await page.getByRole('button', { name: 'Dictate' }).click();
    await page.waitForFunction(() => window.recognition);
    const says = (...results) => page.evaluate((all) => window.recognition.onresult?.({ results: all.map((r) => (typeof r === 'string' ? [{ transcript: r }] : Object.assign([{ transcript: r[0], confidence: r[1] }], { isFinal: true }))) }), results);
    return { page, chat, says };
}

test('dictation writes into the box, where the browser has it', async (t) => {
    const { page, chat, says } = await dictation(t, 'Note:');
    await says('buy milk');
    assert.equal(await chat.box.inputValue(), 'Note: buy milk');
    assert.deepEqual(await axe(page), []);
    await shot(page, 'dictation');
    await page.getByRole('button', { name: 'Dictate', pressed: true }).click();
    await page.getByRole('button', { name: 'Dictate', pressed: false }).waitFor();
    assert.equal(await page.evaluate(() => window.recognition.lang), 'en');
});

test('dictation adds to what is typed meanwhile, and ends with the message', async (t) => {
    const { page, chat, says } = await dictation(t, '');
    await says('buy milk');
    await chat.box.press('End');
    await page.keyboard.type(' and tea');
    await says('buy milk', 'tomorrow');
    assert.equal(await chat.box.inputValue(), 'buy milk and tea tomorrow');
    provider.next(answers('Noted.'), (call) => call.userText === 'buy milk and tea tomorrow');
    await chat.box.press('Enter');
    await page.getByRole('button', { name: 'Dictate', pressed: false }).waitFor();
    await chat.reads('Noted.');
    await says('buy milk', 'tomorrow', 'thanks');
    assert.equal(await chat.box.inputValue(), '');
});

test('the end of a long dictation is in view', async (t) => {
    const { chat, says } = await dictation(t, '');
    await says('one more line of many words '.repeat(60), 'the end');
    await until('its last line is shown', () => chat.box.evaluate((el) => el.scrollHeight > el.clientHeight && el.scrollTop + el.clientHeight >= el.scrollHeight - 1));
});

test('on an Android tablet each word is written once, and no keyboard comes at the end', async (t) => {
    const tablet = { viewport: { width: 1024, height: 768 }, hasTouch: true, isMobile: true, userAgent: 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36' };
    const { page, chat, says } = await dictation(t, '', tablet);
    await says(['buy', 0], ['buy milk', 0]);
    assert.equal(await chat.box.inputValue(), 'buy milk');
    await says(['buy', 0], ['buy milk', 0], ['buy milk and tea', 0.9], [' tomorrow', 0]);
    assert.equal(await chat.box.inputValue(), 'buy milk and tea tomorrow');
    await page.getByRole('button', { name: 'Dictate', pressed: true }).click();
    await page.getByRole('button', { name: 'Dictate', pressed: false }).waitFor();
    assert.ok(!(await chat.box.evaluate((el) => el === document.activeElement)));
});

/** Records notifications; the permission is as given until it is asked for. */
function system() {
    window.notes = [];
    window.requests = 0;
    window.Notification = class {
        static permission = localStorage.getItem('test.permission') ?? 'default';
        static async requestPermission() {
            window.requests++;
            localStorage.setItem('test.permission', 'granted');
            return (window.Notification.permission = 'granted');
        }
        constructor(title, options) { window.notes.push([title, options.body]); }
        close() {}
    };
}
const hide = (page, hidden) => page.evaluate((is) => {
    Object.defineProperty(document, 'hidden', { value: is, configurable: true });
    Object.defineProperty(document, 'visibilityState', { value: is ? 'hidden' : 'visible', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
}, hidden);

test('a hidden tab notifies at the end of its answer, only after the user turned it on', async (t) => {
    const page = await blank(t, { as: anna });
    await page.addInitScript(system);
    const chat = new Chat(page);
    const answer = async (text, hidden) => {
        await chat.send(text);
        const call = await asked(text);
        await hide(page, hidden);
        await call.text('Done.');
        await call.end();
        await chat.settled();
        await hide(page, false);
    };
    await page.goto('/');
    await ready(page);
    await answer('Before it is on', true);
    assert.deepEqual(await page.evaluate(() => [window.notes, window.requests]), [[], 0]);

    await page.goto('/settings');
    await ready(page);
    await page.getByRole('group', { name: 'Notifications' }).getByLabel('On', { exact: true }).check();
    await page.waitForFunction(() => window.requests === 1);
    await page.locator('.saved', { hasText: 'Saved' }).waitFor();

    await page.goto('/');
    await ready(page);
    await answer('While it is shown', false);
    assert.deepEqual(await page.evaluate(() => window.notes), []);
    await answer('While it is hidden', true);
    await page.waitForFunction(() => window.notes.length === 1);
    assert.equal((await page.evaluate(() => window.notes))[0][1], 'The answer is complete.');
});

test('a browser that shows no notifications says so when they are turned on, as those of phones', async (t) => {
    const page = await blank(t, { as: anna, ...phone });
    await page.addInitScript(() => {
        window.Notification = class {
            static permission = 'default';
            static async requestPermission() { throw new Error('it is not asked'); }
            constructor() { throw new TypeError('Illegal constructor'); }
        };
    });
    await page.goto('/settings');
    await ready(page);
    await page.getByRole('group', { name: 'Notifications' }).getByLabel('On', { exact: true }).click();
    await page.getByRole('alert').getByText('This browser has no notifications.').waitFor();
});

test('a hidden tab notifies when a question begins to wait that another device caused', async (t) => {
    await anna.postJson('/api/memories', { text: 'The cat is called Miro' });
    const { memories: [fact] } = await anna.getJson('/api/memories');
    const made = await context(t, { as: anna });
    for (const branch of [false, true]) {
        const text = `Forget the cat ${branch}`;
        const { session, reply } = await exchange(anna, provider, `Hello ${branch}`, 'Hello.');
        await exchange(anna, provider, `More ${branch}`, 'More.', { session });
        const page = await made.newPage();
        await page.addInitScript(() => localStorage.setItem('test.permission', 'granted'));
        await page.addInitScript(() => delete globalThis.SharedWorker); // its requests cannot be waited for
        await page.addInitScript(system);
        // A page that shows another branch does not follow the turn; it learns of the question alone.
        if (branch) {
            provider.next(answers('Another.'), (c) => asksForAnswer(c) && c.userText === `Hello ${branch}`);
            const again = await anna.postJson(`/api/sessions/${session}/messages/${reply}/regenerate`, {});
            await ended(anna, again.json.turn);
        }
        await Promise.all([page.waitForResponse(/\/api\/events/), page.goto(branch ? `/s/${session}?at=${reply}` : `/s/${session}`)]);
        await ready(page);
        await hide(page, true);
        provider.next(callsTool('forget', { id: fact.id }, 'Shall I?'), (c) => asksForAnswer(c) && c.asks(text) && !c.hasToolResult);
        provider.next(answers('Shall I?'), (c) => asksForAnswer(c) && c.asks(text) && c.hasToolResult);
        await ended(anna, (await send(anna, text, { session })).turn);
        await page.waitForFunction(() => window.notes.length === 1);
        assert.match((await page.evaluate(() => window.notes))[0][1], /The cat is called Miro/);
        await page.close();
    }
});
