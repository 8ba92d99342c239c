// The pages without JavaScript: forms and links; each post answers with the finished page.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PASSWORD } from '../../lib/rig.js';
import { Chat } from '../lib/chat.js';
import { answers, asksForAnswer, nextPage, stage } from '../lib/stage.js';

const { alfred, provider, open, asked } = await stage();
await alfred.user('lena', { role: 'admin' });
const plain = { javaScriptEnabled: false };

async function signedIn(t, more = {}) {
    return open(t, { as: await alfred.signIn('lena'), ...plain, ...more });
}
/** Sends with the form; the provider answers. */
async function exchange(chat, text, answer) {
    provider.next(answers(answer), (call) => call.asks(text));
    await chat.write(text);
    await chat.sendButton.click();
    await chat.reads(answer);
}

test('sign in, send, see the answer, continue, find it again', async (t) => {
    const page = await open(t, { ...plain, path: '/' });
    assert.match(page.url(), /\/signin/);
    await page.getByLabel('Name').fill('lena');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('/');
    const chat = new Chat(page);
    await exchange(chat, 'Hello\nthere', 'Good **day**.'.replaceAll('*', ''));
    assert.match(page.url(), /\/s\/ses_/);
    await exchange(chat, 'And again', 'Again.');
    assert.deepEqual(await chat.texts(), ['Hello\nthere', 'Good day.', 'And again', 'Again.']);
    const address = page.url().split(/[?#]/)[0];
    await page.goto('/sessions');
    await nextPage(page, () => page.locator('#session-list a.item-main').first().click());
    assert.equal(page.url().split(/[?#]/)[0], address);
    assert.equal(await chat.messages.count(), 4);
    assert.equal(await page.locator('.js:visible').count(), 0, 'nothing is shown that needs a script');
});

test('an example question is a form, too', async (t) => {
    const page = await signedIn(t);
    const example = page.locator('.example').first();
    const text = (await example.innerText()).trim();
    provider.next(answers('Gladly.'), asksForAnswer);
    await example.click();
    const chat = new Chat(page);
    await chat.reads('Gladly.');
    assert.equal((await chat.question.locator('.bubble').innerText()).trim(), text);
});

test('examples are for a new account', async (t) => {
    const eva = await alfred.user('eva');
    const page = await open(t, { as: eva, javaScriptEnabled: false });
    for (let n = 0; n < 5; n++) {
        await page.goto('/');
        assert.equal(await page.locator('.example').count(), 3, `after ${n} sessions`);
        await eva.postJson('/api/sessions/new/messages', { text: 'Well?' });
    }
    await page.goto('/');
    assert.equal(await page.locator('.example').count(), 0);
    await page.locator('.hello-title').waitFor();
});

test('edit and rerun, switch versions, answer again, save in place', async (t) => {
    const page = await signedIn(t);
    const chat = new Chat(page);
    await exchange(chat, 'Capital of France?', 'Paris.');
    await chat.question.locator('.edit summary').click();
    await chat.question.getByRole('textbox', { name: 'Your message' }).fill('Capital of Spain?');
    provider.next(answers('Madrid.'), (call) => call.userText === 'Capital of Spain?');
    await chat.question.getByRole('button', { name: 'Save and rerun' }).click();
    await chat.reads('Madrid.');
    await chat.act(chat.question, 'Previous version').click();
    await chat.reads('Paris.');
    provider.next(answers('Still Paris.'), (call) => call.userText === 'Capital of France?');
    await chat.act(chat.reply, 'Answer again').click();
    await chat.reads('Still Paris.');
    await chat.act(chat.reply, 'Previous version').click();
    await chat.reads('Paris.');
    await chat.question.locator('.edit summary').click();
    await chat.question.getByRole('textbox', { name: 'Your message' }).fill('The capital of France?');
    await chat.question.getByRole('button', { name: 'Save', exact: true }).click();
    await chat.question.locator('.bubble', { hasText: 'The capital of France?' }).waitFor();
    await chat.reads('Paris.'); // the shown branch, not the newest one
    const [last] = (await chat.texts()).slice(-1);
    await chat.act(chat.reply, 'Delete from here').click();
    await page.getByRole('status').filter({ hasText: 'The message and what followed it are in the trash.' }).waitFor();
    assert.ok(!(await chat.texts()).includes(last));
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').filter({ hasText: 'The message is restored.' }).waitFor();
    assert.ok((await chat.texts()).includes(last));
});

test('a running answer can be read, reloaded and stopped', async (t) => {
    const as = await alfred.signIn('lena');
    const sent = await as.postJson('/api/sessions/new/messages', { text: 'Take time' });
    const call = await asked('Take time');
    await call.text('So far');
    const events = await as.events(`/api/turns/${sent.json.turn}/events`);
    await events.until((e) => e.data.includes('far'));
    const page = await open(t, { as, ...plain, path: sent.json.session.url });
    const chat = new Chat(page);
    await chat.reads('So far');
    await page.locator('noscript p', { hasText: 'Alfred is still answering.' }).waitFor();
    await call.text(' so good');
    await events.until((e) => e.data.includes('good'));
    await page.locator('noscript a').click();
    await chat.reads('So far so good');
    await chat.stopButton.click();
    await call.gone;
    await chat.reply.getByText('Stopped.').waitFor();
    await chat.reads('So far so good');
});

test('an error keeps the question, and trying again works', async (t) => {
    const page = await signedIn(t);
    const chat = new Chat(page);
    for (let i = 0; i < 3; i++) provider.next(answers(''), asksForAnswer); // a failure: "gave an empty answer"
    await chat.write('Will it?');
    await chat.sendButton.click();
    await chat.reply.locator('.problem').waitFor();
    provider.next(answers('It will.'), asksForAnswer);
    await chat.reply.locator('.problem').getByRole('button').click();
    await chat.reads('It will.');
});

test('sessions are renamed and deleted, the drawer opens, signing out works', async (t) => {
    const page = await signedIn(t, { viewport: { width: 360, height: 740 } });
    const chat = new Chat(page);
    await exchange(chat, 'To be renamed', 'Yes.');
    await page.goto('/sessions');
    const item = page.locator('#session-list > li').first();
    await item.getByRole('link', { name: 'Options of' }).click();
    await item.getByRole('textbox', { name: 'Title' }).fill('Renamed by form');
    await item.getByRole('button', { name: 'Save' }).click();
    await page.locator('#session-list .item-title', { hasText: 'Renamed by form' }).waitFor();
    await item.getByRole('link', { name: 'Options of Renamed by form' }).click();
    await item.getByRole('button', { name: 'Pin', exact: true }).click();
    await item.getByText('pinned').waitFor();
    await item.getByRole('link', { name: 'Options of Renamed by form' }).click();
    await item.getByRole('button', { name: 'Unpin' }).waitFor();
    await item.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'The session is in the trash.' }).waitFor();
    assert.equal(await page.locator('#session-list .item-title', { hasText: 'Renamed by form' }).count(), 0);
    await page.goto('/trash');
    await page.locator('#trash-list li', { hasText: 'Renamed by form' }).getByRole('button', { name: /^Restore/ }).click();
    await page.getByRole('status').filter({ hasText: 'The session is restored.' }).getByRole('link', { name: 'Open' }).click();
    assert.match(page.url(), /\/s\/ses_/);
    await page.goto('/sessions');
    await page.locator('#session-list .item-title', { hasText: 'Renamed by form' }).waitFor();
    await page.getByRole('link', { name: 'Show the sidebar' }).click();
    await page.locator('#account-menu > summary').click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    assert.match(page.url(), /\/signin/);
});

test('the users and account pages are forms', async (t) => {
    const page = await signedIn(t, { path: '/admin/users' });
    const add = page.locator('details.add:not([open]) > summary'); // it is open for an admin who is alone
    if (await add.count()) await add.click();
    await page.getByLabel('Name').fill('otto');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    assert.match(await page.getByLabel('Link for otto').inputValue(), /\/welcome#/);
    await page.goto('/account');
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByRole('status').filter({ hasText: /./ }).first().waitFor();
});

test('a welcome link without a script explains how to use the code', async (t) => {
    const page = await open(t, { ...plain, path: '/welcome' });
    assert.ok(await page.getByLabel('Code').isVisible());
    await page.getByText('after the # sign').waitFor();
});

test('a welcome link without a script shows the sign-in name, and then takes the password', async (t) => {
    const [, code] = /\/welcome#([\w-]+)/.exec((await alfred.cli(['user', 'add', 'piet', '--link'])).stdout);
    const page = await open(t, { ...plain, path: '/welcome' });
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Show my sign-in name' }).click();
    assert.equal(await page.getByLabel('Sign-in name').inputValue(), 'piet');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL((url) => url.pathname === '/');
});
