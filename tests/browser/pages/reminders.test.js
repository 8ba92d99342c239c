// Due reminders on open pages, and the page of reminders.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange } from '../../lib/chat.js';
import { Chat } from '../lib/chat.js';
import { axe, staysTooLarge } from '../lib/look.js';
import { answers, leads, quiet, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, context, blank } = await stage();
const anna = await alfred.admin('anna');

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
async function add(text, more = {}) {
    const added = await anna.post('/reminders', { text, start: tomorrow(), repeat: 'never', kind: 'remind', ...more });
    assert.equal(added.status, 303, added.text);
    return alfred.sql('SELECT id FROM reminder WHERE text = ?', text)[0].id;
}
let wakes = 0;
/** Adds a reminder that is due at once. */
async function ring(text) {
    const id = await add(text);
    alfred.sql('UPDATE reminder SET next_at = ? WHERE id = ?', Date.now(), id);
    await add(`Later ${++wakes}`); // wakes the helper
    return id;
}
/** Answers what other tests have left. */
async function answerAll() {
    for (const row of alfred.sql("SELECT DISTINCT reminder_id AS id FROM reminder_due WHERE state = 'open'")) await anna.post(`/reminders/${row.id}/answer`, { answer: 'done' });
}
const due = (page, text) => page.locator('#due .due', { hasText: text });
/** Opens an address in an empty page, and waits until the page can show what is due. */
const open = async (page, path) => {
    await Promise.all([page.waitForRequest(/\/js\/frame\/follow\.js/), page.goto(path)]);
    await ready(page);
    return page;
};

test('a reminder appears on every open page, and an answer in one closes it in all', async (t) => {
    const one = await open(await blank(t, { as: await alfred.signIn('anna') }), '/tasks');
    const two = await open(await blank(t, { as: await alfred.signIn('anna') }), '/');
    await ring('Call the bank');
    await due(one, 'Call the bank').waitFor();
    await due(two, 'Call the bank').waitFor();
    assert.deepEqual(await axe(two, { within: '#due' }), []);
    await one.locator('#say').getByText(/^Reminder \S.*\d\d: Call the bank$/).waitFor(); // the text alone would come out of nowhere
    await due(two, 'Call the bank').getByRole('button', { name: /^Done/ }).click();
    await due(two, 'Call the bank').waitFor({ state: 'detached' });
    await due(one, 'Call the bank').waitFor({ state: 'detached' });
    assert.equal(new URL(two.url()).pathname, '/', 'no new page');
});

test('it stays on the next page, and Snooze is by keyboard', async (t) => {
    const page = await open(await blank(t, { as: await alfred.signIn('anna') }), '/tasks');
    const id = await ring('Water the plants');
    await due(page, 'Water the plants').waitFor();
    await page.goto('/memory');
    await quiet(page); // reminders.js is loaded
    const later = due(page, 'Water the plants').getByRole('button', { name: 'Remind me in 1 h' });
    assert.equal(await later.isVisible(), false, 'it is one line above the page until it is opened');
    await page.locator('.due-fold summary').focus();
    await page.keyboard.press('Enter');
    await later.focus();
    await page.keyboard.press('Enter');
    await due(page, 'Water the plants').waitFor({ state: 'detached' });
    const [row] = alfred.sql('SELECT snooze_at FROM reminder WHERE id = ?', id);
    assert.ok(Math.abs(Number(row.snooze_at) - Date.now() - 3_600_000) < 60_000);
});

test('a hidden page tells it by a notification, but only if the user wants that and no visible page shows it', async (t) => {
    const shared = await context(t, { as: await alfred.signIn('anna') });
    await anna.request('PATCH', '/api/settings', { json: { notifications: true } });
    await shared.addInitScript(() => {
        globalThis.told = [];
        globalThis.looked = 0; // at the locks of visible pages; what follows from it has happened
        const query = navigator.locks?.query.bind(navigator.locks); // not on about:blank
        if (query) navigator.locks.query = async () => {
            const found = await query();
            setTimeout(() => { globalThis.looked++; });
            return found;
        };
        globalThis.Notification = class {
            static permission = 'granted';
            constructor(title, options) { globalThis.told.push([title, options.body, options.tag]); }
        };
    });
    const hide = (page, hidden) => page.evaluate((is) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => is });
        document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
    const one = await open(await shared.newPage(), '/tasks'), two = await open(await shared.newPage(), '/memory');
    await hide(one, true);
    await hide(two, true);
    const first = await ring('Nobody looks');
    await one.waitForFunction(() => globalThis.told.length === 1);
    assert.match((await one.evaluate(() => globalThis.told))[0].join('|'), new RegExp(`^Nobody looks\\|Reminder \\S.*\\|reminder ${first}$`));
    await hide(two, false);
    await two.evaluate(() => { globalThis.told = []; });
    await ring('Somebody looks');
    await due(two, 'Somebody looks').waitFor();
    await one.waitForFunction(() => document.querySelector('#due')?.textContent.includes('Somebody looks'));
    await one.waitForFunction(() => globalThis.looked === 2);
    assert.equal((await one.evaluate(() => globalThis.told)).length, 1, 'the visible page tells it');
    await anna.request('PATCH', '/api/settings', { json: { notifications: false } });
});

test('without scripts a page has the due reminder with its buttons', async (t) => {
    const page = await blank(t, { as: await alfred.signIn('anna'), javaScriptEnabled: false });
    await ring('No script');
    await anna.getJson('/page/reminders/due');
    for (let i = 0; i < 50 && !(await due(page, 'No script').count()); i++) await page.goto('/tasks');
    await due(page, 'No script').getByRole('button', { name: /^Done/ }).click();
    await page.getByText('Done.', { exact: true }).first().waitFor();
    assert.equal(new URL(page.url()).pathname, '/tasks');
    assert.equal(await due(page, 'No script').count(), 0);
});

test('the page adds, changes and deletes, at all widths', async (t) => {
    const page = await open(await blank(t, { as: await alfred.signIn('anna') }), '/reminders');
    const form = page.locator('main > .remind-form');
    await form.locator('[name=text]').fill('Stretch');
    await form.locator('[name=start]').fill(`${tomorrow().slice(0, 10)}T08:00`);
    await form.getByText('Type and repeat').click();
    assert.equal(await form.locator('[name=rule]').isVisible(), false);
    await form.locator('[name=repeat]').selectOption('custom');
    await form.locator('[name=rule]').fill('FREQ=DAILY;INTERVAL=2');
    await form.getByRole('button', { name: 'Add' }).click();
    const item = page.locator('.reminder', { hasText: 'Stretch' });
    await item.getByText('every 2 days at 08:00').waitFor();
    assert.deepEqual(await axe(page), []);
    for (const width of [320, 360, 768, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
    }
    assert.equal(await item.locator('form.remind-form').count(), 0, 'its form comes when it is asked for');
    await leads(page, /edit=/, () => item.getByRole('link', { name: 'Options of Stretch' }).click());
    assert.ok(await item.locator('[name=text]').evaluate((el) => el === document.activeElement));
    await item.locator('[name=text]').fill('Stretch your legs');
    await leads(page, '/reminders', () => item.getByRole('button', { name: 'Save' }).click());
    await item.getByText('Stretch your legs', { exact: true }).waitFor();
    await leads(page, /edit=/, () => item.getByRole('link', { name: /^Options/ }).click());
    await item.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await item.waitFor();
});

test('on a phone the form for a reminder shows its text, its time and its button', async (t) => {
    const page = await open(await blank(t, { as: await alfred.signIn('anna'), viewport: { width: 360, height: 740 } }), '/reminders');
    const form = page.locator('main > .remind-form');
    assert.ok((await form.boundingBox()).height <= 210);
    for (const control of ['[name=text]', '[name=start]', 'button']) assert.ok(await form.locator(control).isVisible(), control);
    assert.equal(await form.locator('[name=kind]').isVisible(), false);
    await form.getByText('Type and repeat').click();
    for (const control of ['[name=kind]', '[name=repeat]']) assert.ok(await form.locator(control).isVisible(), control);
});

test('on the page of reminders what is due covers nothing, and stays when the list changes', async (t) => {
    for (const [width, height] of [[360, 740], [1280, 800]]) {
        const page = await open(await blank(t, { as: await alfred.signIn('anna'), viewport: { width, height } }), '/reminders');
        const text = `Seen at ${width}`;
        await ring(text);
        await due(page, text).waitFor();
        await page.locator('.reminder', { hasText: `Later ${wakes}` }).waitFor(); // the list was read again
        const [panel, heading, form] = await Promise.all(['#due section', 'h1', 'main > .remind-form'].map((s) => page.locator(s).boundingBox()));
        assert.ok(panel.y + panel.height <= heading.y && heading.y + heading.height <= form.y, `${width} px: ${JSON.stringify([panel, heading, form])}`);
        assert.ok(panel.x >= 0 && panel.x + panel.width <= width && await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} px`);
        assert.equal(await page.locator('#due').count(), 1);
        assert.deepEqual(await axe(page), []);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/due-${width}.png` });
        await due(page, text).getByRole('button', { name: /^Done/ }).click();
        await due(page, text).waitFor({ state: 'detached' });
    }
});

test('with more than the box shows it says how many, and after an answer the focus is where it was', async (t) => {
    await answerAll();
    const page = await open(await blank(t, { as: await alfred.signIn('anna') }), '/');
    const count = page.locator('.due-all'), text = page.locator('#text'), done = () => page.locator('#due').getByRole('button', { name: /^Done/ });
    const inBox = () => text.evaluate((el) => el === document.activeElement);
    await ring('One');
    await due(page, 'One').waitFor();
    assert.equal(await count.isVisible(), false);
    await ring('Two');
    await due(page, 'Two').waitFor();
    await page.locator('.due-fold summary').click();
    assert.equal(await count.innerText(), '2 due reminders');
    await page.locator('.due-list').evaluate((el) => el.scrollTo(0, el.scrollHeight));
    assert.ok(await count.evaluate((el) => document.elementFromPoint(el.getBoundingClientRect().x + 20, el.getBoundingClientRect().y + 10) === el), 'it stays in view');
    // With the mouse one goes on typing, by keyboard the next one follows.
    await text.fill('I was typing');
    await done().first().click();
    await count.waitFor({ state: 'hidden' });
    assert.ok(await inBox());
    await ring('Three');
    await due(page, 'Three').waitFor();
    await text.focus();
    await page.keyboard.press('Shift+Tab'); // the focus is that of the keyboard
    await done().first().focus();
    await page.keyboard.press('Enter');
    await count.waitFor({ state: 'hidden' });
    await page.locator('#due button[value=done]:focus').waitFor(); // the list is read again after an answer
    await text.focus();
    await done().focus();
    await page.keyboard.press('Enter');
    await done().waitFor({ state: 'detached' });
    assert.ok(await inBox());
});

test('in a wide window what is due can be read and put aside without unfolding, and covers no buttons of a conversation, of the canvas or of a page', async (t) => {
    await answerAll();
    const page = await open(await blank(t, { as: await alfred.signIn('anna'), viewport: { width: 1440, height: 900 } }), '/');
    await ring('Stand up and walk for a bit, then call the bank about the new card');
    const box = page.locator('.due-box'), later = page.getByRole('button', { name: 'Remind me in 10 min' });
    await box.waitFor();
    assert.ok(await page.locator('.due-text').evaluate((el) => el.scrollHeight <= el.clientHeight && el.scrollWidth <= el.clientWidth), 'the whole text');
    const middle = ({ y, height }) => y + height / 2;
    const [all, fold] = await Promise.all([box, page.locator('.due-fold summary')].map((l) => l.boundingBox()));
    assert.ok(Math.abs(middle(all) - middle(fold)) <= 1 && all.height <= 160, JSON.stringify([all, fold]));
    assert.deepEqual(await axe(page, { within: '#due' }), []);

    const code = Array.from({ length: 80 }, (_, i) => `let line_${i} = ${i};`).join('\n');
    await new Chat(page).exchange(provider, answers(`\`\`\`js\n${code}\n\`\`\``), 'Some code');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.locator('#canvas').waitFor();
    const [beside, panel] = await Promise.all([box, page.locator('#canvas')].map((l) => l.boundingBox()));
    assert.ok(beside.x >= 272 && beside.x + beside.width <= panel.x, JSON.stringify([beside, panel]));

    const newest = page.getByRole('button', { name: 'To the newest message' });
    for (const width of [1440, 1100, 950]) {
        await page.setViewportSize({ width, height: 900 });
        if (width === 1100) await page.keyboard.press('Escape');
        await page.mouse.move(400, 400);
        await page.mouse.wheel(0, -3000);
        await newest.waitFor();
        await newest.click({ trial: true });
        const [above, button] = await Promise.all([box, newest].map((l) => l.boundingBox()));
        assert.ok(width === 1440 || above.y + above.height <= button.y, JSON.stringify([width, above, button]));
    }
    await page.setViewportSize({ width: 1440, height: 900 });

    await page.goto('/tasks');
    await page.locator('main > .remind-form input[name=text]').fill('Buy bread');
    await page.keyboard.press('Enter');
    const notice = await page.locator('.flash').boundingBox(), low = await box.boundingBox();
    assert.ok(low.y >= notice.y + notice.height && low.y + low.height <= 900, JSON.stringify([low, notice]));

    await later.click();
    await box.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 360, height: 740 });
    await ring('On a phone');
    await box.waitFor();
    assert.equal(await later.isVisible(), false, 'one line has no room for it');
});

test('in a wide window what is due is above the message box also when that is high', async (t) => {
    await answerAll();
    const page = await open(await blank(t, { as: await alfred.signIn('anna'), viewport: { width: 1440, height: 900 } }), '/');
    await ring('Feed the cat');
    const box = page.locator('.due-box'), foot = page.locator('#foot');
    await box.waitFor();
    const gap = async () => {
        const [above, below] = await Promise.all([box, foot].map((l) => l.boundingBox()));
        return below.y - above.y - above.height;
    };
    const high = async () => (await foot.boundingBox()).height > 250;
    for (const width of [1440, 1100]) {
        await page.setViewportSize({ width, height: 900 });
        await page.locator('#text').fill('One line');
        await until('it is low', async () => !(await high()) && (await gap()) < 100);
        await page.locator('#text').fill('A line\n'.repeat(12));
        await until('it is high', high);
        await until('the box is above it', async () => (await gap()) > 0);
        assert.ok((await box.boundingBox()).y > 0);
    }
});

test('an answered reminder does not come back with an answer of the server that was on its way', async (t) => {
    const page = await open(await blank(t, { as: await alfred.signIn('anna') }), '/');
    await ring('Just once');
    await due(page, 'Just once').waitFor();
    const late = Promise.withResolvers(), read = Promise.withResolvers();
    await page.route('**/page/reminders/due', async (route) => {
        const old = await route.fetch();
        read.resolve();
        await late.promise;
        await route.fulfill({ response: old });
    }, { times: 1 });
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await read.promise;
    await due(page, 'Just once').getByRole('button', { name: /^Done/ }).click();
    await due(page, 'Just once').waitFor({ state: 'detached' });
    await page.evaluate(() => {
        window.cameBack = false;
        new MutationObserver(() => (window.cameBack ||= document.querySelector('#due').textContent.includes('Just once'))).observe(document.querySelector('#due'), { childList: true });
    });
    const arrives = page.waitForResponse('**/page/reminders/due');
    late.resolve();
    await arrives;
    await ring('And another');
    await due(page, 'And another').waitFor();
    assert.equal(await page.evaluate(() => window.cameBack), false);
});

test('on a phone what is due is one line above the page, which opens; the page of reminders has all of them', async (t) => {
    await answerAll();
    const page = await open(await blank(t, { as: await alfred.signIn('anna'), viewport: { width: 360, height: 740 } }), '/tasks');
    const texts = ['First of five', 'Second of five', 'Third of five', 'Fourth of five', 'A fifth one with so many words that they do not fit into one line of a phone'];
    for (const text of texts) {
        await ring(text);
        await due(page, text).waitFor({ state: 'attached' });
    }
    const box = page.locator('#due section'), fold = page.locator('#due summary');
    assert.equal(await page.locator('#due .due:visible').count(), 1);
    assert.equal((await fold.textContent()).trim(), '5');
    await page.goto('/data?done=import_asked');
    await box.waitFor();
    const seen = (el) => { const r = el.getBoundingClientRect(); return [r.top + 4, r.bottom - 4].every((y) => el.contains(document.elementFromPoint((r.left + r.right) / 2, y))); };
    await until('the notice is not beneath it', () => page.locator('.flash').evaluate(seen));
    for (const [path, viewport] of [['/tasks', { width: 320, height: 600 }], ['/tasks', { width: 740, height: 360 }], ['/', { width: 360, height: 740 }], ['/memory', { width: 360, height: 740 }]]) {
        await page.setViewportSize(viewport);
        await page.goto(path);
        await page.waitForFunction(() => performance.getEntriesByType('resource').some((r) => r.name.endsWith('/reminders.js'))); // idle time loads it
        await quiet(page);
        await page.evaluate(() => scrollTo(0, 0)); // a chat opens at its end
        const [bar, panel, main] = await Promise.all([page.locator('.bar'), box, page.locator('#main')].map((l) => l.boundingBox()));
        assert.ok(panel.y >= bar.y + bar.height - 1 && panel.y + panel.height <= main.y, `${path}: ${JSON.stringify([bar, panel, main])}`);
        assert.ok(panel.height <= 56 && panel.x >= 0 && panel.x + panel.width <= viewport.width, `${path}: ${JSON.stringify(panel)}`);
        assert.deepEqual(await axe(page, { within: '#due' }), []);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/due-folded-${viewport.width}${path.replace('/', '-')}.png` });
    }
    await fold.click();
    assert.equal(await page.locator('#due .due:visible').count(), 3);
    const [by, head, first] = await Promise.all(['#due summary', '.due-all', '#due .due'].map((s) => page.locator(s).first().boundingBox()));
    assert.ok(by.y + by.height <= first.y && head.y + head.height <= first.y + 1, 'the button is above the first one');
    assert.match(await page.locator('#due .due-more').textContent(), /2 more reminders/);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/due-open-360.png` });
    await due(page, texts[4]).getByRole('button', { name: /^Done/ }).click();
    await due(page, texts[4]).waitFor({ state: 'detached' });
    assert.equal(await page.locator('#due .due:visible').count(), 3, 'it stays open');
    await page.locator('#due .due-more a').click();
    await page.waitForURL('**/reminders');
    for (const text of texts.slice(0, 4)) await due(page, text).waitFor();
    assert.equal(await page.locator('#due .due:visible').count(), 4);
    assert.equal(await page.locator('#due a[href="/reminders"]:visible').count(), 0, 'no link to itself');
    for (const text of texts.slice(0, 4)) await due(page, text).getByRole('button', { name: /^Done/ }).click();
    await page.locator('#due .due').first().waitFor({ state: 'detached' });
});

for (const size of [{ viewport: { width: 640, height: 320 }, hasTouch: true, isMobile: true }, { viewport: { width: 360, height: 225 } }])
    test(`in a low window what is due covers nothing that was opened at the message box (${size.viewport.width} x ${size.viewport.height})`, async (t) => {
        await answerAll();
        const { session } = await exchange(anna, provider, 'Say something', 'Something.');
        await ring('Buy stamps');
        const page = await open(await blank(t, { as: await alfred.signIn('anna'), ...size }), `/s/${session}`);
        const chat = new Chat(page), name = (what) => `${process.env.SHOTS}/due-low-${size.viewport.width}-${what}.png`;
        await due(page, 'Buy stamps').waitFor();
        const uncovered = async (what, sel) => {
            await page.locator(sel).first().waitFor();
            if (process.env.SHOTS) await page.screenshot({ path: name(what) });
            await until(`nothing is above ${sel}`, () => page.locator(sel).first().evaluate((el) => {
                const r = el.getBoundingClientRect();
                return r.top >= 0 && [r.top + 4, (r.top + r.bottom) / 2].every((y) => el.contains(document.elementFromPoint(r.left + 40, y)));
            }));
        };
        await chat.box.click();
        await page.keyboard.type('/');
        await uncovered('list', '.library-list > li');
        await page.keyboard.press('Escape');
        await chat.box.fill('');
        for (const id of ['#gauge', '#options']) {
            await page.locator(`${id} > summary`).click();
            await uncovered(id, `${id} .sheet`);
            await page.keyboard.press('Escape');
        }
        // The bar, which comes with a scroll upward, and the line take at most a third of the height.
        await page.waitForFunction(() => [...document.styleSheets].some((s) => s.href?.includes('/low.css')));
        await page.mouse.move(size.viewport.width / 2, 20);
        await page.mouse.wheel(0, -60);
        await page.locator('[data-bar]').waitFor();
        await until('the bar has stopped', () => page.locator('.bar').evaluate((el) => el.getAnimations().length === 0));
        if (process.env.SHOTS) await page.screenshot({ path: name('bar') });
        assert.deepEqual(await staysTooLarge(page), []);
        await page.mouse.wheel(0, 60);
        await due(page, 'Buy stamps').getByRole('button', { name: /^Done/ }).click();
        await due(page, 'Buy stamps').waitFor({ state: 'detached' });
    });
