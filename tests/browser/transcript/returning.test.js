// Coming back: the reading position, the focus, a server that is away or busy, answers that failed.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fails } from '../../fake/provider.js';
import { exchange, sessionOf } from '../../lib/chat.js';
import { Chat } from '../lib/chat.js';
import { leads, loaded, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, blank, asked } = await stage();
const anna = await alfred.admin('anna');
const LONG = (i) => `Answer ${i}\n\n${'Words that take some room on the screen. '.repeat(12)}`;

async function talk(n) {
    let session = 'new';
    const ids = [];
    for (let i = 0; i < n; i++) {
        const sent = await exchange(anna, provider, `Question ${i}`, LONG(i), { session });
        session = sent.session;
        ids.push(sent.asked, sent.reply);
    }
    return { session, ids };
}
const top = (page, id) => page.locator(`#m-${id}`).evaluate((el) => el.getBoundingClientRect().top);

test('Back returns to the message that was read, near the end and far from it', async (t) => {
    const { session, ids } = await talk(45);
    const page = await blank(t, { as: anna });
    for (const id of [ids.at(-20), ids[10]]) {
        await page.goto(`/s/${session}`);
        await ready(page);
        await page.mouse.move(600, 300);
        await page.mouse.wheel(0, -300); // away from the end
        await page.getByRole('button', { name: 'To the newest message' }).waitFor();
        await until('the message is there', async () => {
            if (await page.locator(`#m-${id}`).count()) return true;
            await page.evaluate(() => scrollTo(0, 0));
            return false;
        });
        await page.locator(`#m-${id}`).evaluate((el) => el.scrollIntoView({ block: 'center' }));
        await until('it is noted', () => page.evaluate(() => history.state?.reading));
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        const before = await top(page, id);
        await leads(page, /\/tasks/, () => page.getByRole('link', { name: 'To-do list' }).click());
        await leads(page, new RegExp(session), () => page.goBack());
        await until('the reading position is back', async () => (await page.locator(`#m-${id}`).count()) && Math.abs((await top(page, id)) - before) < 60);
    }
});

test('Ctrl+Shift+S leaves the focus where it is', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.box.focus();
    await page.keyboard.press('Control+Shift+S');
    await page.locator(':root[data-side=closed]').waitFor({ state: 'attached' });
    assert.ok(await chat.box.evaluate((el) => el === document.activeElement));
    await page.keyboard.press('Control+Shift+S');
    assert.ok(await chat.box.evaluate((el) => el === document.activeElement));
    await page.getByRole('link', { name: 'Hide the sidebar' }).focus();
    await page.keyboard.press('Control+Shift+S');
    assert.ok(await page.getByRole('link', { name: 'Show the sidebar' }).evaluate((el) => el === document.activeElement), 'what had the focus is hidden');
});

test('a click on an answer leaves no ring around it, not even with the next key', async (t) => {
    const { session } = await talk(1);
    const page = await open(t, { as: anna, path: `/s/${session}` });
    const chat = new Chat(page);
    await loaded(page, 'chat/watch');
    await chat.answer.click();
    await page.keyboard.press('Shift');
    assert.equal(await chat.reply.evaluate((el) => getComputedStyle(el).outlineStyle), 'none');
    assert.equal(await page.locator('article:focus-visible').count(), 0);
});

test('while the server is busy the message waits, is sent again, and is not lost', async (t) => {
    const page = await open(t, { as: anna, allow: [/status of 503/] });
    const chat = new Chat(page);
    let refused = 0;
    await page.route('**/page/sessions/new/messages', (route) =>
        ++refused <= 2 ? route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: { error: { code: 'unavailable', message: 'Alfred is busy.', retry_after: 1 } } }) : route.continue());
    await chat.send('In the crowd');
    await page.locator('.live-note', { hasText: 'Alfred is busy. The message is sent again in' }).waitFor();
    const call = await asked('In the crowd');
    await call.text('Through.');
    await call.end();
    await chat.settled();
    await chat.reads('Through.');
    assert.equal(refused, 3);
    // Stop while it waits gives the text back.
    await page.goto('/');
    await ready(page);
    refused = -100;
    await page.unroute('**/page/sessions/new/messages');
    await page.route('**/page/sessions/new/messages', (route) => route.fulfill({ status: 503, headers: { 'retry-after': '30' }, json: { error: { code: 'unavailable', message: 'Alfred is busy.', retry_after: 30 } } }));
    await chat.send('Never mind');
    await page.locator('.live-note', { hasText: 'Alfred is busy.' }).waitFor();
    await chat.stopButton.click();
    await page.locator('#send-problem').getByText('Alfred is busy. Your text is kept.').waitFor();
    assert.equal(await chat.box.inputValue(), 'Never mind');
});

test('a message for the running answer to end waits also when the page is offline, and is sent when it is back', async (t) => {
    const page = await open(t, { as: anna, allow: [/ERR_INTERNET_DISCONNECTED/] });
    const chat = new Chat(page);
    await chat.send('A long one');
    const call = await asked('A long one');
    await call.text('It begins.');
    await chat.reads('It begins.');
    await loaded(page, 'composer/queue');
    await page.context().setOffline(true);
    await chat.send('Typed in a tunnel');
    await chat.waiting.filter({ hasText: 'Typed in a tunnel' }).waitFor();
    assert.equal(await chat.box.inputValue(), '');
    assert.equal(await page.locator('#alerts .problem').count(), 0);
    await page.context().setOffline(false);
    await call.end();
    const next = await asked('Typed in a tunnel');
    await next.text('Out again.');
    await next.end();
    await chat.settled();
    await chat.reads('Out again.');
});

test('what an answer said before it failed can be copied; Try again is offered only where it can help', async (t) => {
    const page = await open(t, { as: anna, permissions: ['clipboard-read', 'clipboard-write'] });
    const chat = new Chat(page);
    await chat.send('Half an answer');
    const call = await asked('Half an answer');
    await call.text('The first half');
    await chat.reads('The first half');
    call.breakOff();
    await chat.reply.locator('.problem').getByText(/broke off in the middle/).waitFor();
    await chat.settled();
    await chat.act(chat.reply, 'Copy').click();
    await chat.said.getByText('Copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'The first half');
    await chat.reply.getByRole('button', { name: 'Try again' }).waitFor();
    provider.next(fails(401), (c) => c.userText === 'With a wrong key');
    await chat.send('With a wrong key');
    await chat.reply.locator('.problem').getByText(/openai does not accept the key/i).waitFor();
    await chat.settled();
    assert.equal(await chat.reply.getByRole('button', { name: 'Try again' }).count(), 0);
    assert.equal(await chat.act(chat.reply, 'Answer again').count(), 1, 'once the key is changed');
    const link = chat.reply.locator('.problem').getByRole('link', { name: 'Check the key' });
    assert.equal(await link.getAttribute('href'), '/connect', 'as the answer ends');
    await page.reload();
    await link.waitFor();
});

test('a stopped first answer has a title all the same', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.send('How do tides work? Please explain.');
    const call = await asked('How do tides work? Please explain.');
    await call.text('Be');
    await chat.reads('Be');
    await page.locator('#session-title', { hasText: 'How do tides work?' }).waitFor();
    await chat.stopButton.click();
    await chat.settled();
    const { session } = await sessionOf(anna, page.url().match(/ses_\w+/)[0]);
    assert.deepEqual([session.title, session.named], ['How do tides work?', false]);
});

test('a page that was loaded before an update says so, once, and its Reload brings the new version', async (t) => {
    const page = await open(t, { as: anna, allow: [/\/api\/events/, /ERR_|status of 50/] });
    const now = await page.evaluate(() => document.documentElement.dataset.asset), then = '0123456789ab';
    const old = async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: (await answer.text()).replaceAll(now, then) });
    };
    const notice = page.getByText('Alfred was updated.');
    await loaded(page, 'frame/changes');
    await page.route('**/tasks', old);
    await page.goto('/tasks');
    await notice.waitFor();
    await alfred.killAndAwait('stream');
    await anna.postJson('/api/tasks', { text: 'Connected again' });
    await page.getByText('Connected again').first().waitFor();
    assert.equal(await notice.count(), 1);
    await page.unroute('**/tasks', old);
    await leads(page, /\/tasks/, () => page.getByRole('button', { name: 'Reload' }).click());
    assert.equal(await page.evaluate(() => document.documentElement.dataset.asset), now);
    await loaded(page, 'frame/changes');
    assert.equal(await notice.count(), 0);
});
