// Commands in the message box: their list, by keyboard and on a phone, the reply above the box, and without a script.
import { test } from 'node:test';
import assert from 'node:assert/strict';

import { axe } from '../lib/look.js';
import { DESKTOP, answers, asksForAnswer, phone, ready, stage, until } from '../lib/stage.js';
import { Chat } from '../lib/chat.js';

const { alfred, provider, open, asked } = await stage();
const anna = await alfred.admin('anna');
const shot = async (page, name) => process.env.SHOTS && page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });

for (const size of [{ viewport: DESKTOP }, phone])
    test(`/ lists the commands, which are completed and run by keyboard, at ${size.viewport.width} px`, async (t) => {
        const page = await open(t, { as: anna, ...size });
        const chat = new Chat(page);
        await chat.box.pressSequentially('/');
        const list = page.getByRole('listbox', { name: 'Commands and prompts' });
        await list.waitFor();
        assert.ok((await list.getByRole('option').count()) > 15);
        assert.deepEqual(await axe(page), []);
        await shot(page, `list-${size.viewport.width}`);
        await chat.box.pressSequentially('re');
        await until('only those that begin so', async () => (await list.getByRole('option').allInnerTexts()).every((s) => s.startsWith('/re')));
        await page.keyboard.press('ArrowDown');
        assert.match(await list.getByRole('option', { selected: true }).innerText(), /^\/re/);
        await page.keyboard.press('Escape');
        await list.waitFor({ state: 'hidden' });
        await chat.box.fill('');
        await chat.box.pressSequentially('/he');
        await list.waitFor();
        await page.keyboard.press('Tab');
        assert.equal(await chat.box.inputValue(), '/help ');
        await page.keyboard.press('Enter');
        const card = page.getByRole('region', { name: 'Reply to a command' });
        await card.waitFor();
        assert.match(await card.innerText(), /Lists the commands/);
        assert.equal(await chat.box.inputValue(), '');
        assert.deepEqual(await axe(page), []);
        await shot(page, `help-${size.viewport.width}`);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await card.getByRole('link', { name: 'Close' }).click();
        await card.waitFor({ state: 'detached' });
    });

test('a whole command runs at the first Enter, and changes the page', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, answers('Whistling.'), 'What do walruses do?');
    await chat.box.pressSequentially('/rename Whistlers');
    await page.keyboard.press('Enter');
    await until('the new title', async () => (await page.locator('#session-title').innerText()) === 'Whistlers');
    await chat.box.pressSequentially('/undo');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Bring back' }).waitFor();
    await until('no message', async () => (await page.locator('article.msg').count()) === 0);
    await shot(page, 'undo');
    await page.getByRole('button', { name: 'Bring back' }).click();
    await until('the messages', async () => (await page.locator('article.msg').count()) === 2);
    const before = page.url();
    await chat.box.pressSequentially('/new');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/');
    await ready(page); // the scripts take the next Enter
    await new Chat(page).box.pressSequentially('/resume Whistlers');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.href.startsWith(before.replace(/#.*/, '')));
});

test('a command whose name begins another one runs at the first Enter, too', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, answers('Diving.'), 'What do seals do?');
    await chat.box.pressSequentially('/session');
    await page.getByRole('option', { name: '/sessions' }).waitFor();
    await page.keyboard.press('Enter');
    const card = page.getByRole('region', { name: 'Reply to a command' });
    await card.getByText('Started').waitFor();
    assert.equal(await chat.box.inputValue(), '');
});

test('an unknown command can be sent as a message, and a refused line stays in the box', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 400/] });
    const chat = new Chat(page);
    await chat.box.fill('/shrug about the weather');
    await page.keyboard.press('Enter');
    const send = page.getByRole('button', { name: 'Send as message' });
    await send.waitFor();
    await shot(page, 'unknown');
    provider.next(answers('Indeed.'), (c) => asksForAnswer(c) && c.userText === '/shrug about the weather');
    await send.click();
    await chat.reads('Indeed.');
    assert.equal(await page.locator('#command').count(), 0);
    await chat.box.fill('/rename');
    await page.keyboard.press('Enter');
    await page.getByText('/rename needs more').waitFor();
    assert.equal(await chat.box.inputValue(), '/rename');
});

test('a command that is refused says why in the card, in place of an earlier reply', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 4\d\d/, /ERR_FAILED/] });
    const chat = new Chat(page), card = page.getByRole('region', { name: 'Reply to a command' });
    await chat.box.fill('/help');
    await page.keyboard.press('Enter');
    await card.getByText('/remind').first().waitFor();
    await chat.box.fill('/retry');
    await page.keyboard.press('Enter');
    await card.getByRole('alert').waitFor();
    assert.equal(await card.count(), 1);
    assert.equal(await card.getByText('/remind').count(), 0, 'the earlier reply is gone');
    assert.equal(await page.locator('#alerts > *').count(), 0);
    assert.equal(await chat.box.inputValue(), '/retry');
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
    assert.equal(await page.getByRole('listbox').isVisible(), false, 'the list of commands does not cover it');
    assert.deepEqual(await axe(page), []);
    await shot(page, 'refused');
    await page.route(/\/page\/commands/, (route) => route.abort());
    await page.locator('#text').press('Enter');
    await card.getByText('cannot be reached').waitFor();
    await card.getByRole('link', { name: 'Close' }).click();
    await card.waitFor({ state: 'detached' });
    assert.equal(await chat.box.inputValue(), '/retry');
});

test('a card that says that an answer is being written goes with its end; that of another reason stays until a message is sent', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 4\d\d/] });
    const chat = new Chat(page), card = page.getByRole('region', { name: 'Reply to a command' });
    await chat.send('Take your time');
    const call = await asked('Take your time');
    await call.text('Well');
    await chat.reads('Well');
    await chat.send('/retry');
    await card.getByText('An answer is being written. Wait for its end').waitFor();
    await card.getByRole('link', { name: 'Close' }).focus();
    await call.text(', done.');
    await call.end();
    await card.waitFor({ state: 'detached' });
    assert.ok(await chat.box.evaluate((el) => el === document.activeElement));
    assert.equal(await chat.box.inputValue(), '/retry');
    await chat.box.press('Enter');
    const again = await asked('Take your time');
    await card.getByText('Another answer is being written.').waitFor();
    await again.text('Hurried.');
    await chat.reads('Hurried.');
    assert.equal(await card.count(), 1);
    await again.end();
    await card.waitFor({ state: 'detached' });
    await chat.send('/model no-such-model');
    await card.getByRole('alert').waitFor();
    await chat.exchange(provider, answers('Another.'), 'Another question');
    assert.equal(await card.count(), 0);
});

test('the list of commands that arrives after a refusal does not cover it', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 4\d\d/] });
    const chat = new Chat(page), held = [];
    await page.route('**/api/prompts', (route) => held.push(route));
    await chat.box.fill('/retry');
    await until('the list is requested', () => held.length);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Reply to a command' }).getByRole('alert').waitFor();
    await until('the line is back', async () => (await chat.box.inputValue()) === '/retry');
    for (const route of held) await route.continue();
    await page.waitForFunction(() => [...document.styleSheets].some((s) => s.href?.includes('/library.css'))); // all is there now
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
    assert.equal(await page.getByRole('listbox').isVisible(), false);
});

test('a slash alone is not sent: the list opens, and without scripts it is /help', async (t) => {
    const as = await alfred.user();
    for (const send of ['Enter', 'button']) {
        const page = await open(t, { as });
        const list = page.getByRole('listbox');
        await page.clock.install();
        await page.locator('#text').fill('/');
        await list.waitFor();
        await page.keyboard.press('Escape');
        await list.waitFor({ state: 'hidden' });
        if (send === 'Enter') await page.keyboard.press('Enter');
        else await page.locator('.send').click();
        await list.waitFor();
        assert.equal(await page.locator('#text').inputValue(), '/');
        await page.clock.runFor(1000); // the timer of the lost focus
        assert.ok(await list.isVisible(), 'it stays open');
        assert.equal(await page.locator('#transcript article').count(), 0);
    }
    const plain = await open(t, { as, javaScriptEnabled: false });
    await plain.locator('#text').fill('/');
    await plain.locator('.send').click();
    await plain.locator('#command').getByText('/remind').first().waitFor();
    assert.deepEqual((await as.getJson('/api/sessions')).sessions, []);
});

test('a path, and a line that begins with a blank, are messages', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, answers('A file.'), '/etc/passwd is what?');
    provider.next(answers('A word.'), (c) => asksForAnswer(c) && c.userText === '/help is what?');
    await chat.send(' /help is what?');
    await chat.reads('A word.');
});

test('/retry shows the new answer, and /export saves a file', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, answers('Red.'), 'A colour, please');
    provider.next(answers('Blue.'), (c) => asksForAnswer(c) && c.userText === 'A colour, please');
    await chat.box.fill('/retry');
    await page.keyboard.press('Enter');
    await chat.reads('Blue.');
    const saved = page.waitForEvent('download');
    await chat.box.fill('/export');
    await page.keyboard.press('Enter');
    assert.match((await saved).suggestedFilename(), /\.md$/);
});

for (const scheme of ['light', 'dark'])
    test(`without a script the reply is on the page, ${scheme}`, async (t) => {
        const page = await open(t, { as: anna, javaScriptEnabled: false, colorScheme: scheme });
        await page.locator('#text').fill('/sessions');
        await page.getByRole('button', { name: 'Send', exact: true }).click();
        const card = page.getByRole('region', { name: 'Reply to a command' });
        await card.waitFor();
        await shot(page, `plain-${scheme}`);
        await card.getByRole('button', { name: 'Whistlers' }).click();
        await page.waitForURL(/\/s\/ses_/);
        assert.match(await page.locator('#session-title').innerText(), /Whistlers/);
    });
