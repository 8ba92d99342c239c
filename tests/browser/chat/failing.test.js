// Failures and lost connections: the page reports them, keeps its content, and the focus stays on the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PASSWORD } from '../../lib/rig.js';
import { Chat, texts } from '../lib/chat.js';
import { answers, asksForAnswer, nextPage, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, blank, asked } = await stage();
const anna = await alfred.user('anna');
const dropped = [/net::ERR_/, /status of 4(0[13]|10)/];

/** A session with one answer. */
async function conversation(client, text, answer) {
    provider.next(answers(answer), (call) => asksForAnswer(call) && call.asks(text));
    const sent = await client.postJson('/api/sessions/new/messages', { text });
    const events = await client.events(`/api/turns/${sent.json.turn}/events`);
    await events.until((e) => e.event === 'end');
    return sent.json.session;
}
const focused = (locator) => until('it has the focus', () => locator.evaluate((el) => el === document.activeElement));
const alert = (page, text) => page.locator('#alerts, #send-problem').getByText(text).waitFor();

test('offline, actions that need the server report it, and work when the connection is back', async (t) => {
    const session = await conversation(anna, 'Copy me', 'Here it is.');
    const page = await blank(t, { as: anna, allow: dropped, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.route('**/js/chat/watch.js', (route) => route.abort()); // it loads the actions a second after the page
    await page.goto(session.url);
    await ready(page);
    const chat = new Chat(page);
    await page.context().setOffline(true);
    await until('the page knows it', () => page.evaluate(() => !navigator.onLine));
    await chat.act(chat.reply, 'Copy').click();
    await alert(page, 'You are offline.');
    await page.locator('#alerts .problem').evaluate((el) => { el.dataset.old = ''; });
    await page.keyboard.press('Control+k');
    await page.locator('#alerts .problem:not([data-old])').waitFor(); // it is said again
    assert.equal(await page.locator('#alerts .problem').count(), 1, 'in place of the first one');
    await page.context().setOffline(false);
    await chat.act(chat.reply, 'Copy').click();
    await chat.said.getByText('Copied').waitFor();
});

test('after signing out elsewhere a page keeps the conversation and the text, and leads to the sign-in', async (t) => {
    const client = await alfred.user('leaver');
    const session = await conversation(client, 'Keep me', 'Kept.');
    const page = await blank(t, { as: client, allow: dropped });
    await page.addInitScript(() => delete window.SharedWorker); // the connection is the page's, where it can be observed
    const left = Promise.withResolvers();
    await page.route('**/js/frame/changes.js', (route) => left.promise.then(() => route.continue()));
    await page.goto(session.url);
    await ready(page);
    const chat = new Chat(page);
    await page.context().clearCookies();
    const refused = page.waitForResponse((r) => new URL(r.url()).pathname === '/api/events' && r.status() === 401);
    left.resolve();
    await refused;
    assert.deepEqual(await chat.texts(), ['Keep me', 'Kept.']);
    await chat.send('Not lost');
    await alert(page, 'You have been signed out. Your text is kept here.');
    assert.equal(await chat.box.inputValue(), 'Not lost');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/signin\?next=/);
});

test('after signing out elsewhere a refused action and the search box lead to the sign-in and back', async (t) => {
    const client = await alfred.user('absent');
    const session = await conversation(client, 'Pin me', 'Gladly.');
    const page = await open(t, { as: client, path: session.url, allow: dropped });
    const row = page.locator(`#side [data-session="${session.id}"]`), link = page.locator('#alerts').getByRole('link', { name: 'Sign in' });
    await page.context().clearCookies();
    for (let i = 0; i < 2; i++) {
        await row.hover();
        await row.getByRole('button').click();
        await page.getByRole('menuitem', { name: 'Pin', exact: true }).click();
        await link.and(page.locator(':not([data-old])')).waitFor();
        await link.evaluate((el) => { el.dataset.old = ''; });
    }
    assert.equal(await page.locator('#alerts .problem').count(), 1, 'a second refusal takes the place of the first one');
    assert.equal(await link.getAttribute('href'), `/signin?next=${encodeURIComponent(session.url)}`);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Sign in' }).click();
    await page.waitForURL(`**/signin?next=${encodeURIComponent(session.url)}`);
    await page.getByLabel('Name').fill('absent');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**${session.url}`);
});

test('a text for a session that went to the trash elsewhere is there again after the session is restored', async (t) => {
    const session = await conversation(anna, 'Throw me away', 'Gladly.');
    const page = await open(t, { as: anna, path: session.url, allow: dropped });
    const chat = new Chat(page);
    await anna.request('DELETE', `/api/sessions/${session.id}`);
    await chat.send('Not lost either');
    await alert(page, /This session is in the trash\..*Your text is kept\./);
    assert.deepEqual(await page.locator('#send-problem').getByRole('button').allInnerTexts(), ['Reload']);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await chat.box.waitFor();
    assert.equal(await chat.box.inputValue(), 'Not lost either');
});

test('a page from an earlier sign-in is reloaded and keeps its text', async (t) => {
    const client = await alfred.user('returner');
    const session = await conversation(client, 'Before', 'Well.');
    const page = await open(t, { as: client, path: session.url, allow: dropped });
    const chat = new Chat(page);
    await page.locator('meta[name=csrf]').evaluate((el) => el.setAttribute('content', `${'A'.repeat(el.content.length)}`));
    await chat.send('Once more');
    await alert(page, 'You signed in again since this page was loaded.');
    await nextPage(page, () => page.getByRole('button', { name: 'Reload' }).click());
    await ready(page);
    assert.equal(await chat.box.inputValue(), 'Once more');
});

/** Answers of a proxy in front of Alfred, without JSON; 302 leads to its sign-in. */
const PROXY = [
    [302, 'asks for its own sign-in'],
    [200, 'asks for its own sign-in'],
    [403, 'refused this (403)'],
    [408, 'took too long'],
    [413, 'are too large for the server in front of Alfred (413)'],
    [431, 'Delete them in the browser'],
    [504, 'did not answer in time'],
    [520, 'cannot reach it (520)'],
    [526, 'has to check the certificate'],
];

test('a refusal by a proxy in front of Alfred is told with its cause', async (t) => {
    const session = await conversation(anna, 'Behind a proxy', 'Indeed.');
    const page = await open(t, { as: anna, path: session.url, allow: [/status of [45]\d\d/] }), chat = new Chat(page);
    let answer;
    await page.route('**/api/sessions/*/pin', (route) => route.fulfill(answer));
    for (const [status, words] of PROXY) {
        answer = { status, contentType: 'text/html', body: '<h1>A proxy</h1>', headers: status === 302 ? { location: '/static/icons/sprite.svg' } : {} };
        await chat.rows.first().hover();
        await chat.rows.first().getByRole('button').click();
        await page.getByRole('menuitem', { name: 'Pin' }).click();
        await page.locator('#alerts').getByText(words).waitFor();
    }
});

test('a message that a proxy refuses is in the box again, with the cause above it', async (t) => {
    const page = await open(t, { as: anna, locale: 'de-DE', allow: [/status of 413/] }), l = texts('de'), chat = new Chat(page, l);
    await page.route('**/page/sessions/new/messages', (route) => route.fulfill({ status: 413, contentType: 'text/html', body: '<h1>413 Request Entity Too Large</h1>' }), { times: 1 });
    await chat.send('Ein langer Text');
    await alert(page, 'Die Dateien oder der Text sind zu groß für den Server vor Alfred (413).');
    assert.equal(await chat.box.inputValue(), 'Ein langer Text');
});

test('a page behind the sign-in of a proxy leads to it, and keeps its text', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page);
    await page.route('**/page/sessions/new/messages', (route) => route.fulfill({ status: 302, headers: { location: 'https://login.example.org/' } }));
    await chat.send('Not lost');
    await page.locator('#send-problem').getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(await chat.box.inputValue(), 'Not lost');
});

test('the focus goes to the box when the focused button is hidden', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.write('Long one');
    await chat.sendButton.focus();
    await page.keyboard.press('Enter');
    const call = await asked('Long one');
    await call.text('It begins');
    await chat.reads('It begins');
    await focused(chat.box);
    await chat.stopButton.focus();
    await page.keyboard.press('Enter');
    await chat.settled();
    await focused(chat.box);
});

test('the focus goes to the neighbour of a deleted session, and an empty day has no heading', async (t) => {
    const client = await alfred.user('tidier');
    const titles = ['First', 'Second'];
    for (const title of titles) {
        const { id } = await conversation(client, `About ${title}`, 'Well.');
        await client.request('PATCH', `/api/sessions/${id}`, { json: { title } });
    }
    const page = await open(t, { as: client });
    const chat = new Chat(page);
    const remove = async (title) => {
        const row = chat.rows.filter({ hasText: title });
        await row.hover();
        await row.getByRole('button', { name: `Options of ${title}` }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await row.waitFor({ state: 'detached' });
    };
    await remove('Second');
    await focused(chat.rows.getByRole('link', { name: 'First' }));
    await remove('First');
    assert.equal(await page.locator('#sessions-nav h2').count(), 0);
    await focused(chat.sidebar.getByRole('link', { name: 'Alfred' }));
});

test('an action that was done is told with Undo, also when the page cannot be read again', async (t) => {
    const client = await alfred.user('doer'), session = await conversation(client, 'Delete my answer', 'Gladly.');
    const page = await open(t, { as: client, path: session.url, allow: [/status of 503/] }), chat = new Chat(page);
    const refuse = (route) => (route.request().resourceType() === 'fetch' ? route.fulfill({ status: 503, body: '' }) : route.fallback());
    for (const path of [`**${session.url}*`, '**/page/sidebar*']) await page.route(path, refuse);
    const undo = page.locator('#toasts').getByRole('button', { name: 'Undo' });
    await chat.act(chat.reply, 'Delete from here').click();
    await page.locator('#toasts').getByText('in the trash').waitFor();
    await undo.click();
    await page.locator('#toasts').getByText('Restored').waitFor();
    await chat.rows.first().hover();
    await chat.rows.first().getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Pin' }).click();
    await page.locator('#toasts').getByText('Pinned').waitFor();
    assert.ok(await undo.isVisible());
    assert.equal(await page.locator('#alerts > *').count(), 0, 'nothing is reported as failed');
});

test('a style sheet that did not arrive is loaded with its next use', async (t) => {
    await conversation(anna, 'In the list', 'It is.');
    const page = await open(t, { as: anna, allow: dropped }), button = new Chat(page).rows.first().getByRole('button'), menu = page.getByRole('menu');
    let asked = 0;
    await page.route('**/over.css*', (route) => (++asked === 1 ? route.abort('failed') : route.continue()));
    await button.dispatchEvent('click');
    await menu.waitFor();
    await page.keyboard.press('Escape');
    await button.dispatchEvent('click');
    await until('it has its style', () => menu.evaluate((el) => getComputedStyle(el).position === 'fixed'));
    assert.equal(asked, 2);
});

test('Send is inactive while the box is empty, before any script has run', async (t) => {
    const page = await open(t, { as: anna, javaScriptEnabled: false });
    const colour = () => page.locator('.send').evaluate((el) => getComputedStyle(el).backgroundColor);
    const empty = await colour();
    await page.locator('#text').fill('Something');
    await until('it is the accent', async () => (await colour()) !== empty);
});

test('a copied answer has none of our buttons, formulas as TeX, and its own levels of headings', async (t) => {
    const session = await conversation(anna, 'Show both', '# Physics\n\nEnergy $E = mc^2$:\n\n```python\nprint(1)\n```\n');
    const page = await open(t, { as: anna, path: session.url, permissions: ['clipboard-read', 'clipboard-write'] });
    const chat = new Chat(page);
    await page.locator('.katex').waitFor();
    await chat.act(chat.reply, 'Copy').click();
    await chat.said.getByText('Copied').waitFor();
    const html = await page.evaluate(async () => {
        const [item] = await navigator.clipboard.read();
        return (await item.getType('text/html')).text();
    });
    assert.match(html, /E = mc\^2/);
    assert.match(html, /print/);
    assert.match(html, /<h1[^>]*>Physics<\/h1>/, 'its headings begin at the first level, as in the Markdown');
    assert.doesNotMatch(html, /katex|Copy/);
});

test('a copied selection has each formula once, as TeX', async (t) => {
    const session = await conversation(anna, 'Show a formula', 'Energy $E = mc^2$ and\n\n$$\\frac{a}{b}$$\n\n- end');
    const page = await open(t, { as: anna, path: session.url, permissions: ['clipboard-read', 'clipboard-write'] });
    const chat = new Chat(page);
    await page.locator('.katex').nth(1).waitFor();
    await chat.answer.hover();
    await until('edit.js is here', () => page.evaluate(() => performance.getEntriesByType('resource').some((r) => r.name.includes('/copied.js') && r.responseEnd)));
    /** Copies from the first to the last node, also if they are inside of a formula. */
    const copied = async (first, last) => {
        await chat.answer.evaluate((el, [first, last]) => getSelection().setBaseAndExtent(el.querySelector(first).firstChild, 0, el.querySelector(last).lastChild, 1), [first, last]);
        await page.keyboard.press('Control+c');
        return page.evaluate(() => navigator.clipboard.readText());
    };
    assert.deepEqual((await copied('p', 'li')).split(/\n+/), ['Energy $E = mc^2$ and', '$$\\frac{a}{b}$$', 'e']);
    assert.equal(await copied('.math .mord', '.math .mord'), '$E = mc^2$');
    assert.equal(await copied('li', 'li'), 'e');
    assert.equal(await page.locator('body > .answer').count(), 0);
});

test('at 200 % zoom the sheet of the gauge is completely visible or scrolls, and a refusal leaves the focus where Esc closes it', async (t) => {
    const session = await conversation(anna, 'Compact me', 'Nothing much.');
    const page = await open(t, { as: anna, path: session.url, viewport: { width: 640, height: 400 }, allow: [/status of 4/] });
    const gauge = page.locator('#gauge summary');
    await gauge.focus();
    await page.keyboard.press('Enter');
    await page.locator('#gauge .sheet').waitFor(); // a module brings it on first use
    const [sheet, bar] = [await page.locator('#gauge .sheet').boundingBox(), await page.locator('.bar').boundingBox()];
    assert.ok(sheet.y >= bar.y + bar.height, `${sheet.y}`);
    await page.getByRole('button', { name: 'Compact now' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('There is nothing to compact yet').waitFor();
    await focused(gauge);
    await page.keyboard.press('Escape');
    await page.locator('#gauge .sheet').waitFor({ state: 'hidden' });
});

test('the account menu, the options and the gauge close also before their scripts have arrived', async (t) => {
    const session = await conversation(anna, 'Close early', 'Well.');
    const page = await open(t, { as: anna, path: session.url });
    await page.route(/\/js\/(frame\/account|composer\/options|composer\/gauge)\.js/, () => {}); // they never arrive
    const isOpen = (id) => page.locator(id).evaluate((el) => el.open);
    for (const id of ['#account-menu', '#options', '#gauge']) {
        const button = page.locator(`${id} > summary`);
        await button.focus();
        await page.keyboard.press('Enter');
        assert.equal(await isOpen(id), true, id);
        await page.keyboard.press('Escape');
        assert.equal(await isOpen(id), false, id);
        assert.ok(await button.evaluate((el) => el === document.activeElement), id);
        await button.press('Enter');
        await page.locator('#text').focus();
        assert.equal(await isOpen(id), false, `${id}: the focus has left it`);
        await button.click();
        assert.equal(await isOpen(id), true, id);
        await page.locator('#text').click();
        assert.equal(await isOpen(id), false, id);
    }
    await page.locator('#options > summary').press('Enter');
    await page.locator('#gauge > summary').press('Enter');
    assert.deepEqual([await isOpen('#options'), await isOpen('#gauge')], [false, true]);
});

test('at 400 % zoom the sheets of the message box are large enough to read, and Esc closes them', async (t) => {
    const session = await conversation(anna, 'Zoom in', 'Everything is large.');
    const page = await open(t, { as: anna, path: session.url, viewport: { width: 360, height: 225 } });
    for (const id of ['#gauge', '#options']) {
        const sheet = page.locator(`${id} .sheet`);
        await page.locator(`${id} > summary`).focus();
        await page.keyboard.press('Enter');
        await sheet.waitFor();
        const { y, height } = await sheet.boundingBox();
        assert.ok(y >= 0 && y + height <= 225 && height > 225 / 2, `${id}: ${y} ${height}`);
        await page.keyboard.press('Escape');
        await sheet.waitFor({ state: 'hidden' });
    }
});
