// The box: sending, drafts and growth.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from '../lib/chat.js';
import { answers, phone, ready, stage, until } from '../lib/stage.js';

/** The limit of a message, a tenth of the default: a text of 1 MB costs the browser ten seconds, above all in the box. */
const MESSAGE_BYTES = 100 * 1024;
const { alfred, provider, open, blank, asked, context } = await stage({ config: { limits: { message_bytes: MESSAGE_BYTES } } });
const anna = await alfred.admin('anna');
provider.always(answers('Noted.'), (call) => /^Note/.test(call.userText));

/** The number of messages in the session, from the server. */
async function stored(page) {
    const id = page.url().match(/\/s\/([^/?#]+)/)?.[1];
    return id ? (await anna.getJson(`/api/sessions/${id}`)).messages.length : 0;
}

test('Enter sends, Shift+Enter breaks the line, and the breaks are kept', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    assert.ok(await chat.box.evaluate((el) => el === document.activeElement), 'the box has the focus');
    await page.keyboard.type('Note: first');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('second');
    assert.equal(await chat.box.inputValue(), 'Note: first\nsecond');
    assert.equal(page.url(), `${alfred.baseUrl}/`);
    await page.keyboard.press('Enter');
    await chat.reads('Noted.');
    assert.equal(await chat.question.locator('.bubble').innerText(), 'Note: first\nsecond');
    assert.equal(await chat.box.inputValue(), '');
    assert.match(page.url(), /\/s\/ses_/, 'the session has its address');
    await chat.settled();
    assert.equal(await stored(page), 2);
    await page.reload();
    assert.equal(await chat.question.locator('.bubble').innerText(), 'Note: first\nsecond');
});

test('the box has the focus before the scripts come, so that no key is lost', async (t) => {
    const page = await blank(t, { as: anna });
    const held = [];
    await page.route('**/js/composer/composer.js*', (route) => held.push(route));
    await page.goto('/', { waitUntil: 'commit' });
    await until('the script is requested', () => held.length);
    await page.locator('body > .toasts').waitFor({ state: 'attached' }); // the box and what is below it are there
    await page.keyboard.type('Note: at once');
    await held[0].continue();
    await ready(page);
    await page.keyboard.type(', and later');
    await page.keyboard.press('Enter');
    await new Chat(page).reads('Noted.');
    assert.equal(await new Chat(page).question.locator('.bubble').innerText(), 'Note: at once, and later');
});

test('Enter sends a message before the scripts come, too, and in the setting for Ctrl+Enter it breaks the line', async (t) => {
    const carl = await alfred.user('carl-early');
    for (const sends of [true, false]) {
        const page = await blank(t, { as: carl }), chat = new Chat(page), held = [];
        if (!sends) await carl.request('PATCH', '/api/settings', { json: { send_key: 'mod_enter' } });
        await page.route('**/js/composer/composer.js*', (route) => void held.push(route), { times: 1 });
        await page.goto('/', { waitUntil: 'commit' });
        await page.locator('body > .toasts').waitFor({ state: 'attached' });
        await page.keyboard.press('Enter'); // nothing to send
        await page.keyboard.type('Note: at once');
        await page.keyboard.press('Enter');
        if (sends) await page.waitForURL(/\/s\/ses_/);
        if (sends) assert.equal(await chat.question.locator('.bubble').innerText(), 'Note: at once');
        else assert.equal(await chat.box.inputValue(), '\nNote: at once\n');
        await held[0].continue().catch(() => {}); // the page was left
    }
});

test('Enter that ends a composition of an input method sends nothing', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    // Browsers differ: Chrome marks the key isComposing, Safari only gives key code 229 after compositionend.
    await chat.box.evaluate((box) => {
        const key = (more) => box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...more }));
        box.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
        box.value = 'にほん';
        box.dispatchEvent(new InputEvent('input', { bubbles: true, isComposing: true }));
        key({ isComposing: true, keyCode: 229 });
        box.value = '日本';
        box.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, data: '日本' }));
        box.dispatchEvent(new InputEvent('input', { bubbles: true }));
        key({ keyCode: 229 });
    });
    assert.equal(await chat.box.inputValue(), '日本');
    assert.equal(await chat.messages.count(), 0);
    assert.equal(await page.locator('.pending').count(), 0);
    // A real Enter then sends exactly once.
    provider.next(answers('Gern.'), (call) => call.userText === '日本');
    await chat.box.press('Enter');
    await chat.reads('Gern.');
    assert.equal(await chat.questions.count(), 1);
});

test('a blank message is not sent, by key or by button', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await page.evaluate(() => document.addEventListener('invalid', () => { document.title = 'scolded'; }, true)); // the browser's own bubble
    for (const text of ['', ' ', '\n\n', ' \t\u00a0 ']) {
        await chat.write(text);
        await chat.box.press('Enter');
        await chat.sendButton.click({ force: true });
        assert.equal(await page.locator('#transcript article').count(), 0);
    }
    assert.equal(page.url(), `${alfred.baseUrl}/`);
    assert.notEqual(await page.title(), 'scolded');
});

test('with the setting, only Ctrl+Enter sends', async (t) => {
    const page = await open(t, { as: await alfred.user('carla'), path: '/settings' }); // the setting is the account's
    await page.getByRole('radio', { name: 'Ctrl+Enter' }).check();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.goto('/');
    await ready(page);
    const chat = new Chat(page);
    await chat.write('Note: a');
    await chat.box.press('Enter');
    await page.keyboard.type('b');
    assert.equal(await chat.box.inputValue(), 'Note: a\nb');
    await chat.box.press('Control+Enter');
    await chat.reads('Noted.');
});

test('with a virtual keyboard open, Enter breaks and the button sends', async (t) => {
    const page = await open(t, { as: anna, ...phone });
    const chat = new Chat(page);
    assert.ok(!(await chat.box.evaluate((el) => el === document.activeElement)), 'no keyboard jumps up by itself');
    await chat.box.tap();
    await page.setViewportSize({ width: phone.viewport.width, height: 420 }); // the keyboard takes its space
    await page.keyboard.type('Note: on');
    await page.keyboard.press('Enter');
    await page.keyboard.type('the phone');
    assert.equal(await chat.box.inputValue(), 'Note: on\nthe phone');
    await chat.sendButton.tap();
    await chat.reads('Noted.');
});

test('pasted line breaks stay', async (t) => {
    const page = await open(t, { as: anna, permissions: ['clipboard-read', 'clipboard-write'] });
    const chat = new Chat(page);
    await page.evaluate(() => navigator.clipboard.writeText('one\n\n  two\nthree'));
    await chat.box.press('Control+v');
    assert.equal(await chat.box.inputValue(), 'one\n\n  two\nthree');
});

test('the box grows from one line to eight and then scrolls', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    const height = () => chat.box.evaluate((el) => el.clientHeight);
    const one = await height();
    const line = await chat.box.evaluate((el) => parseFloat(getComputedStyle(el).lineHeight));
    const heights = [];
    for (let lines = 2; lines <= 10; lines++) {
        await chat.write(Array(lines).fill('x').join('\n'));
        heights.push(Math.round((await height()) - one) / line);
    }
    assert.deepEqual(heights.slice(0, 7).map(Math.round), [1, 2, 3, 4, 5, 6, 7]);
    assert.equal(heights[8], heights[7], 'it stops at eight');
    assert.ok(Math.round(heights[8]) <= 7);
    assert.ok(await chat.box.evaluate((el) => el.scrollHeight > el.clientHeight));
    await chat.write('');
    assert.equal(await height(), one);
});

test('a draft belongs to its session, survives a reload and is gone once sent', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.write('for a new chat');
    await page.reload();
    await ready(page);
    assert.equal(await chat.box.inputValue(), 'for a new chat');
    await chat.send('Note: begin');
    await chat.reads('Noted.');
    await chat.settled();
    const session = page.url();
    await chat.write('for this session');
    await page.goto('/');
    await ready(page);
    assert.equal(await chat.box.inputValue(), '', 'the new chat has none: its text was sent');
    await page.goto(session);
    await ready(page);
    assert.equal(await chat.box.inputValue(), 'for this session');
    await chat.send('Note: over');
    await chat.settled();
    await page.reload();
    await ready(page);
    assert.equal(await chat.box.inputValue(), '');
});

test('a draft in a new chat stays with the session when its first answer runs', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('Slow one');
    const call = await asked('Slow one');
    await chat.write('half a thought');
    await call.text('Yes');
    await chat.reads('Yes');
    await page.waitForURL(/\/s\//);
    await page.reload();
    await ready(page);
    assert.equal(await chat.box.inputValue(), 'half a thought');
    await call.end();
    await chat.settled();
});

/** Two pages of one browser. */
async function twoTabs(t, as, path = '/') {
    const shared = await context(t, { as });
    const tab = async (to) => {
        const page = await shared.newPage();
        await page.goto(to);
        await ready(page);
        return Object.assign(new Chat(page), { page });
    };
    return { shared, one: await tab('/'), two: await tab(path) };
}
const draft = (page) => page.evaluate(() => Object.entries(localStorage).find(([k]) => k.startsWith('alfred.draft.'))?.[1] ?? null);
const stores = (page, text) => until('the draft is stored', async () => (await draft(page)) === text);

test('a tab without a draft leaves that of another tab alone; what one has sent is gone in the other', async (t) => {
    const { one, two } = await twoTabs(t, await alfred.user('tabs'));
    await one.write('Note: a long draft');
    await stores(one.page, 'Note: a long draft');
    await two.page.goto('/tasks');
    await ready(two.page);
    assert.equal(await draft(two.page), 'Note: a long draft');
    await Promise.all([two.page.waitForResponse(/watch\.js/), two.page.goto('/')]);
    assert.equal(await two.box.inputValue(), 'Note: a long draft');
    await one.box.press('Enter');
    await one.reads('Noted.');
    await one.settled();
    await until('the other box is empty', async () => !(await two.box.inputValue()));
    await two.page.goto('/tasks');
    assert.equal(await draft(two.page), null);
});

test('nobody sees the draft of another user of the browser, after a sign-out in another tab or an expired sign-in', async (t) => {
    const { shared, one, two } = await twoTabs(t, await alfred.user('first'), '/tasks');
    const become = async (client) => {
        await shared.clearCookies();
        await shared.addCookies([...client.cookies].map(([name, value]) => ({ name, value, url: alfred.baseUrl })));
    };
    await one.page.evaluate((m) => import(m), await one.page.evaluate(() => `/static/${document.documentElement.dataset.asset}/js/chat/watch.js`));
    await one.write('A private thought');
    await stores(one.page, 'A private thought');
    await Promise.all([two.page.waitForResponse(/account\.js/), two.page.locator('#account-menu summary').click()]);
    await two.page.getByRole('button', { name: 'Sign out' }).click();
    await two.page.waitForURL(/signin/);
    await until('the box of the other tab is empty', async () => !(await one.box.inputValue()));
    await one.page.goto('/signin');
    assert.equal(await draft(two.page), null);
    const second = await alfred.user('second');
    await become(second);
    await one.page.goto('/');
    await ready(one.page);
    await one.write('For me only');
    await stores(one.page, 'For me only');
    await become(await alfred.user('third'));
    await one.page.goto('/');
    await ready(one.page);
    assert.equal(await one.box.inputValue(), '');
    await become(second);
    await one.page.goto('/');
    await ready(one.page);
    assert.equal(await one.box.inputValue(), 'For me only');
});

test('a message that the server has not accepted is offered again after a reload, and arrives once', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 503/] }), chat = new Chat(page);
    const ids = new Set();
    page.on('request', (r) => r.method() === 'POST' && /\/messages$/.test(r.url()) && ids.add(r.postDataJSON().client_id));
    const busy = (route) => route.fulfill({ status: 503, headers: { 'retry-after': '30' }, json: { error: { code: 'unavailable', message: 'Alfred is busy.', retry_after: 30 } } });
    await page.route('**/page/sessions/new/messages', busy);
    await chat.send('Note: ten minutes of work');
    await page.locator('.live-note', { hasText: 'Alfred is busy.' }).waitFor();
    await page.reload();
    await ready(page);
    const item = chat.waiting.filter({ hasText: 'Note: ten minutes of work' });
    await item.waitFor();
    assert.equal(await chat.box.inputValue(), '');
    await page.reload();
    await ready(page);
    await item.waitFor(); // nothing is sent by itself
    await page.unroute('**/page/sessions/new/messages', busy);
    await item.getByRole('button', { name: 'Send now' }).click();
    await chat.reads('Noted.');
    await chat.settled();
    assert.equal(await stored(page), 2);
    assert.equal(ids.size, 1, 'it has the same name for the server');
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((k) => /sent|queue/.test(k))), []);
});

test('a message that the server has accepted, but not confirmed, arrives once when the page is reloaded meanwhile', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page), text = 'Note: over a slow line';
    let held;
    const slow = new Promise((done) => { held = done; });
    t.after(() => held());
    await page.route('**/page/sessions/new/messages', async (route) => {
        await route.fetch(); // the server has it
        held();
        // and the page hears nothing
    }, { times: 1 });
    await chat.send(text);
    await slow;
    await page.reload();
    await ready(page);
    const item = chat.waiting.filter({ hasText: text });
    await item.waitFor();
    assert.equal(await chat.box.inputValue(), '');
    await item.getByRole('button', { name: 'Send now' }).click();
    await chat.reads('Noted.');
    await chat.settled();
    assert.deepEqual(await chat.texts(), [text, 'Noted.']);
    assert.equal(alfred.database((db) => db.prepare('SELECT count(*) AS n FROM message WHERE text = ?').get(text).n), 1);
});

test('a message that is too long is kept, and no Retry is offered', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 413/] });
    const chat = new Chat(page), text = 'word '.repeat(MESSAGE_BYTES / 4).trim();
    await chat.send(text);
    const problem = page.locator('#send-problem');
    await problem.getByText('The message is longer than 100 KB.').waitFor();
    assert.equal(await problem.getByRole('button').count(), 0);
    assert.equal(await chat.box.inputValue(), text);
});

test('a message written without a connection stays in the box, and can be sent later', async (t) => {
    const page = await open(t, { as: anna, allow: [/ERR_INTERNET_DISCONNECTED/] });
    const chat = new Chat(page);
    await ready(page);
    await page.context().setOffline(true);
    await chat.send('Note: from the tunnel');
    await page.locator('#alerts, #send-problem').getByText(/offline/).first().waitFor();
    assert.equal(await chat.box.inputValue(), 'Note: from the tunnel');
    await page.context().setOffline(false);
    await until('it is online', () => page.evaluate(() => navigator.onLine));
    await chat.box.press('Enter');
    await chat.reads('Noted.');
    assert.equal(await stored(page), 2);
});

test('a message that cannot be sent is kept with a Retry that works, and arrives once', async (t) => {
    const page = await open(t, { as: anna, allow: [/ERR_INTERNET_DISCONNECTED/] });
    const chat = new Chat(page);
    await chat.write('N');
    await ready(page); // what sends it has come
    await page.context().setOffline(true);
    await chat.send('Note: from the train');
    const problem = page.locator('#send-problem');
    await problem.getByText(/offline/).waitFor();
    assert.equal(await chat.box.inputValue(), 'Note: from the train');
    assert.equal(await page.locator('.pending').count(), 0);
    await page.context().setOffline(false);
    await problem.getByText('You are online again.').waitFor();
    assert.equal(await problem.getByText(/offline/).count(), 0);
    await problem.getByRole('button', { name: 'Retry' }).click();
    await chat.reads('Noted.');
    await chat.settled();
    assert.equal(await stored(page), 2);
    assert.equal(await chat.box.inputValue(), '');
    assert.equal(await problem.isVisible(), false);
    await chat.send('Note: from the train');
    await until('the same text is a message again', async () => (await stored(page)) === 4);
});
