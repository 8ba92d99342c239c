// The gauge of the model's window, compaction from the chat page, and the hint to begin a new chat after hours. No
// provider is connected: the offline model compacts by rule.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, send } from '../../lib/chat.js';
import { Chat } from '../lib/chat.js';
import { axe, axeInBothSchemes } from '../lib/look.js';
import { leads, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, change, open } = await stage({ providers: false });
const anna = await alfred.admin('anna');

const HOUR_MS = 3_600_000;
const EXCHANGES = 14; // more than the messages that always stay word for word

const fill = (session, tokens, window = 128_000) => change('UPDATE session SET context_tokens = ?, context_window = ? WHERE pub = ?', tokens, window, session);
const aged = (session, hours) => change('UPDATE session SET created_at = created_at - ? WHERE pub = ?', hours * HOUR_MS, session);

/** A session with this number of exchanges. */
async function session(exchanges) {
    let id;
    for (let i = 0; i < exchanges; i++) {
        const sent = await send(anna, i ? `What time is it, for the ${i}. time?` : 'My locker has the number 4711. Do you see?', id ? { session: id } : {});
        id = sent.session;
        await ended(anna, sent.turn);
    }
    return id;
}
const short = await session(1);
const long = await session(EXCHANGES);

/** The gauge of a page and its sheet. */
class Gauge {
    constructor(page) {
        this.page = page;
        this.box = page.locator('#gauge');
        this.button = this.box.locator('summary');
        this.sheet = this.box.getByRole('group');
        this.keep = this.sheet.getByLabel('What to keep');
        this.compact = this.sheet.getByRole('button');
        this.said = this.sheet.getByRole('status');
    }
    name() {
        return this.button.getAttribute('aria-label');
    }
    /** The colour of its text: danger is red, accent green, else muted. */
    colour() {
        return this.button.evaluate((el) => {
            const probe = document.createElement('i');
            document.body.append(probe);
            const of = (name) => ((probe.style.color = `var(--${name})`), getComputedStyle(probe).color);
            const found = ['muted', 'accent', 'danger'].find((name) => of(name) === getComputedStyle(el).color);
            probe.remove();
            return found;
        });
    }
}

test('a new chat has no gauge; the first answer brings it without moving the box', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page), gauge = new Gauge(page);
    assert.equal(await gauge.box.isVisible(), false);
    const before = await page.locator('#composer').boundingBox();
    await chat.send('What time is it?');
    await chat.settled();
    await gauge.button.waitFor();
    assert.match(await gauge.name(), /^Context \d+ % full, [\d,]+ of 32,768 tokens$/);
    assert.match(await gauge.button.innerText(), /^\d+ %$/);
    const after = await page.locator('#composer').boundingBox();
    assert.equal(after.height, before.height);
    assert.deepEqual([await page.locator('.send').evaluate((el) => el.getBoundingClientRect().right), after.x + after.width], [before.x + before.width - 9, before.x + before.width]);
    const words = async () => (await gauge.box.textContent()).replace(/\s+/g, ' ');
    const live = [await gauge.name(), await words()];
    await page.reload();
    await ready(page);
    assert.deepEqual([await gauge.name(), await words()], live, 'the server says the same');
});

test('it is quiet until compacting is near, then in the accent, and red only after a failure', async (t) => {
    const page = await open(t, { as: anna, path: `/s/${short}` });
    const gauge = new Gauge(page);
    for (const [tokens, name, colour] of [
        [15_360, 'Context 12 % full, 15,360 of 128,000 tokens', 'muted'],
        [102_400, 'Context 80 % full, 102,400 of 128,000 tokens', 'accent'],
        [200_000, 'Context 100 % full, 200,000 of 128,000 tokens', 'accent'],
    ]) {
        fill(short, tokens);
        await page.reload();
        await ready(page);
        assert.deepEqual([await gauge.name(), await gauge.colour()], [name, colour]);
    }
    assert.equal(await gauge.box.locator('circle').last().getAttribute('stroke-dasharray'), '100 100');
});

test('the sheet opens, closes with Esc and by a click elsewhere, and explains compaction', async (t) => {
    fill(short, 15_360);
    const page = await open(t, { as: anna, path: `/s/${short}` });
    const gauge = new Gauge(page);
    await gauge.button.focus();
    await page.keyboard.press('Enter');
    await gauge.sheet.waitFor();
    await gauge.sheet.getByText('12 % of 128k').waitFor();
    await gauge.sheet.getByText('15,360 of 128,000 tokens').waitFor();
    assert.ok((await gauge.sheet.boundingBox()).y + (await gauge.sheet.boundingBox()).height <= (await page.locator('#composer').boundingBox()).y, 'above the box');
    await page.keyboard.press('Tab');
    assert.ok(await gauge.keep.evaluate((el) => el === document.activeElement));
    await page.keyboard.press('Escape');
    await gauge.sheet.waitFor({ state: 'hidden' });
    assert.ok(await gauge.button.evaluate((el) => el === document.activeElement), 'the focus is back');
    await gauge.button.click();
    await gauge.sheet.waitFor();
    await page.locator('#transcript').click();
    await gauge.sheet.waitFor({ state: 'hidden' });
});

test('the sheet says when there is nothing to compact', async (t) => {
    fill(short, 15_360);
    const page = await open(t, { as: anna, path: `/s/${short}`, allow: [/status of 409/] });
    const gauge = new Gauge(page);
    await gauge.button.click();
    await gauge.compact.click();
    await gauge.said.filter({ hasText: /\w/ }).waitFor();
    await gauge.compact.filter({ hasText: 'Try again' }).waitFor();
    assert.equal(await gauge.colour(), 'danger');
    assert.equal(await page.locator('.compacted').count(), 0);
});

test('Compact now: progress in place, the mark in the transcript, and the page of the replaced messages', async (t) => {
    const page = await open(t, { as: anna, path: `/s/${long}` });
    const chat = new Chat(page), gauge = new Gauge(page);
    const count = await chat.messages.count();
    await chat.listen();
    let look;
    const looked = new Promise((ok) => { look = ok; });
    await page.route('**/api/sessions/*?limit=1', async (route) => {
        await looked; // else the compaction may end before the look at its progress
        await route.continue();
    });
    await gauge.button.click();
    await gauge.keep.fill('The number of my locker');
    await gauge.keep.press('Enter');
    await gauge.said.filter({ hasText: 'Compacting…' }).waitFor();
    assert.equal(await gauge.compact.isVisible(), false);
    look();
    await gauge.said.filter({ hasText: /Done\. [\d,]+ → [\d,]+ tokens/ }).waitFor();
    await gauge.compact.filter({ hasText: 'Compact now' }).waitFor();
    assert.ok((await chat.heard()).includes('Compacted'));
    const mark = page.locator('.compacted');
    assert.match((await mark.textContent()).replace(/\s+/g, ' '), /^The model reads a summary of the \d+ messages above · [\d,]+ → [\d,]+ tokens · Open/);
    assert.equal(await chat.messages.count(), count, 'no message went');
    const place = await mark.evaluate((el) => el.nextElementSibling.id);

    await page.reload();
    await ready(page);
    assert.equal(await mark.evaluate((el) => el.nextElementSibling.id), place, 'a reload shows the same');
    await leads(page, /\/compactions\/\d+$/, () => mark.getByRole('link', { name: 'Open' }).click());
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Compaction');
    await page.getByText('The number of my locker', { exact: true }).waitFor();
    assert.match(await page.locator('.answer').first().innerText(), /4711/);
    const replaced = page.locator('.said > li:visible');
    assert.match(await replaced.first().innerText(), /My locker has the number 4711/);
    assert.ok((await replaced.count()) < count);
    assert.deepEqual(await axe(page), []);

    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'download them' }).click()]);
    const lines = (await (await file.createReadStream()).toArray()).join('').trim().split('\n').map((line) => JSON.parse(line));
    assert.ok(JSON.stringify(lines).includes('My locker has the number 4711'));

    await leads(page, /at=\d+.*#m-/, () => page.getByRole('link', { name: 'Read them in the conversation' }).click());
    assert.ok(await page.locator('article', { hasText: 'My locker has the number 4711' }).first().isVisible());
});

test('a mark does not stop the older messages from loading, and an answer after it is complete', async (t) => {
    const page = await open(t, { as: anna, path: `/s/${long}` });
    const chat = new Chat(page);
    assert.equal(await page.locator('.compacted').count(), 1);
    await chat.send('What time is it after all?');
    await chat.settled();
    assert.equal(await page.locator('.compacted').count(), 1);
    const ids = await chat.messages.evaluateAll((all) => all.map((el) => el.id));
    assert.equal(new Set(ids).size, ids.length);
});

test('a failed compaction shows its reason, and Try again works', async (t) => {
    const id = await session(EXCHANGES);
    change(
        'INSERT INTO compaction_request (session_id, head_id, keep, by_user, error, asked_at) SELECT id, head_id, ?, 1, ?, 1 FROM session WHERE pub = ?',
        '', 'The model gave no usable summary.', id,
    );
    const page = await open(t, { as: anna, path: `/s/${id}` });
    const gauge = new Gauge(page);
    assert.equal(await gauge.colour(), 'danger');
    await gauge.button.click();
    await gauge.said.filter({ hasText: 'The model gave no usable summary.' }).waitFor();
    assert.deepEqual(await axe(page), []);
    await gauge.compact.filter({ hasText: 'Try again' }).click();
    await gauge.said.filter({ hasText: 'Done.' }).waitFor();
    assert.equal(await page.locator('.compacted').count(), 1);
    assert.notEqual(await gauge.colour(), 'danger');
});

test('the end of a compaction is seen at once, also when no timer of the page runs', async (t) => {
    const page = await open(t, { as: anna, path: `/s/${await session(EXCHANGES)}` });
    const gauge = new Gauge(page);
    await gauge.button.click();
    await page.waitForFunction(() => performance.getEntriesByType('resource').some((r) => r.name.endsWith('/follow.js'))); // the page is about to listen
    await page.evaluate(() => (window.setTimeout = () => 0));
    await gauge.compact.click();
    await gauge.said.filter({ hasText: 'Done.' }).waitFor();
});

test('a compaction that has ended before its request is answered is shown, too', async (t) => {
    const id = await session(EXCHANGES);
    const page = await open(t, { as: anna, path: `/s/${id}` });
    const gauge = new Gauge(page);
    await page.route('**/compact', async (route) => {
        await route.fetch();
        const context = async () => (await anna.getJson(`/api/sessions/${id}?limit=1`)).session.context;
        await until('the compaction has ended', async () => !(await context()).compacting);
        await route.fulfill({ json: { session: { context: await context() } } });
    });
    await gauge.button.click();
    await gauge.compact.click();
    await gauge.said.filter({ hasText: 'Done.' }).waitFor();
});

test('a compaction whose end may not be asked for says why, and can be asked for again', async (t) => {
    const page = await open(t, { as: anna, path: `/s/${await session(EXCHANGES)}`, allow: [/status of 401/] });
    const gauge = new Gauge(page);
    await page.route('**/compact', (route) => route.fulfill({ json: {} }), { times: 1 });
    await page.route('**/api/sessions/*?limit=1', (route) => route.fulfill({ status: 401, json: { error: { message: 'Please sign in.' } } }), { times: 1 });
    await gauge.button.click();
    await gauge.compact.click();
    await gauge.said.filter({ hasText: 'Please sign in.' }).waitFor();
    await gauge.compact.filter({ hasText: 'Try again' }).click();
    await gauge.said.filter({ hasText: 'Done.' }).waitFor();
});

test('without script the sheet opens, the form posts and the finished page has the mark', async (t) => {
    const id = await session(EXCHANGES);
    const page = await open(t, { as: anna, path: `/s/${id}`, javaScriptEnabled: false });
    const gauge = new Gauge(page);
    await gauge.button.click();
    await gauge.keep.fill('My locker');
    await gauge.compact.click();
    await page.waitForURL(/done=compact_asked/);
    await page.locator('.flash').waitFor();
    for (let i = 0; i < 20 && !(await page.locator('.compacted').count()); i++) await page.reload();
    await page.locator('.compacted a').click();
    await page.waitForURL(/compactions/);
    await page.getByText('My locker', { exact: true }).waitFor();
});

const line = (page) => page.locator('#rest');

test('after eight hours of writing the page suggests a new chat, once', async (t) => {
    const id = await session(1);
    aged(id, 9);
    const page = await open(t, { as: anna, path: `/s/${id}` });
    await line(page).getByText('This session has run for 9 hours. A new chat starts with an empty context. You can still find this one.').waitFor();
    assert.deepEqual(await axe(page), []);
    await line(page).getByRole('button', { name: 'Dismiss' }).click();
    await line(page).waitFor({ state: 'hidden' });
    await page.reload();
    await ready(page);
    assert.equal(await line(page).isVisible(), false, 'closed for this session');
    const chat = new Chat(page);
    await chat.send('What time is it?');
    await chat.settled();
    assert.equal(await line(page).isVisible(), false);
});

test('the hint is for writers: not in a new session, not in an old one that is only read', async (t) => {
    const young = await session(1);
    aged(young, 7);
    const page = await open(t, { as: anna, path: `/s/${young}` });
    assert.equal(await line(page).isVisible(), false);
    const old = await session(1);
    aged(old, 100);
    change('UPDATE session SET active_at = active_at - ? WHERE pub = ?', 90 * HOUR_MS, old);
    await page.goto(`/s/${old}`);
    await ready(page);
    assert.equal(await line(page).isVisible(), false);
    const chat = new Chat(page);
    await chat.send('What time is it?');
    await line(page).getByText('This session has run for 4 days.').waitFor();
    await leads(page, '/', () => line(page).getByRole('link', { name: 'New chat' }).click());
});

test('an open page shows the hint by itself; a compaction resets it', async (t) => {
    const page = await open(t, { as: anna, path: `/s/${long}` });
    await page.clock.install();
    const chat = new Chat(page);
    await page.clock.fastForward(9 * HOUR_MS);
    await chat.send('What time is it?');
    await line(page).getByText(/has run for (9|10) hours/).waitFor();
    aged(long, 12);
    await page.reload();
    await ready(page);
    assert.equal(await line(page).isVisible(), false, 'it was compacted a moment ago');
});

test('without script the hint is a link', async (t) => {
    const id = await session(1);
    aged(id, 9);
    const page = await open(t, { as: anna, path: `/s/${id}`, javaScriptEnabled: false });
    await line(page).getByRole('link', { name: 'New chat' }).click();
    await page.waitForURL('/');
});

test('axe finds nothing serious in the open sheet, and a phone shows all of it', async (t) => {
    fill(short, 110_000);
    aged(short, 9);
    const page = await open(t, { as: anna, path: `/s/${short}`, ...phone, viewport: { width: 320, height: 640 }, reducedMotion: 'reduce' });
    const gauge = new Gauge(page);
    await gauge.button.tap();
    await gauge.sheet.waitFor();
    assert.deepEqual(await axeInBothSchemes(page), []);
    const box = await gauge.sheet.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 320 && box.y >= 0, JSON.stringify(box));
    assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth));
    await page.goto(`/s/${long}`);
    await page.goto(await page.locator('.compacted a').getAttribute('href'));
    await ready(page);
    assert.deepEqual(await axeInBothSchemes(page), [], 'the page of a compaction');
    assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth));
});

test('marks of other sessions are refreshed when the page is shown again', async (t) => {
    const other = await session(1);
    await anna.postJson(`/api/sessions/${other}/seen`, {});
    const page = await open(t, { as: anna, path: `/s/${short}` });
    const mark = page.locator(`.row[data-session="${other}"] .unread`);
    assert.equal(await mark.isVisible(), false);
    const become = (state) =>
        page.evaluate((s) => {
            Object.defineProperty(document, 'hidden', { configurable: true, value: s === 'hidden' });
            Object.defineProperty(document, 'visibilityState', { configurable: true, value: s });
            document.dispatchEvent(new Event('visibilitychange'));
        }, state);
    await page.waitForFunction(() => import(`/static/${document.documentElement.dataset.asset}/js/frame/changes.js`).then(() => true));
    await become('hidden');
    const sent = await send(anna, 'What time is it there?', { session: other });
    await ended(anna, sent.turn);
    await become('visible');
    await mark.waitFor();
});
