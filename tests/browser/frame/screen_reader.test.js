// Defects that only a screen reader shows: to the eye the pages look right. Each was heard first in Orca with Firefox.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fails } from '../../fake/provider.js';
import { Chat } from '../lib/chat.js';
import { answers, quiet, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open } = await stage();
const anna = await alfred.admin('anna');

test('an error comes into the page as an alert of its own, because a change inside of an alert may not be said', async (t) => {
    const page = await open(t, { as: anna, allow: [/net::ERR_/] }), chat = new Chat(page), said = page.getByRole('alert');
    assert.equal(await said.count(), 0);
    provider.next(fails(401), (call) => call.userText === 'Fail');
    await chat.send('Fail');
    await said.filter({ hasText: /key/ }).waitFor({ state: 'attached' });
    await page.context().setOffline(true);
    await until('the page knows it', () => page.evaluate(() => !navigator.onLine));
    await page.keyboard.press('Control+k');
    await said.getByText('You are offline.').waitFor();
    await page.context().setOffline(false);
});

test('the empty message box has one name and is not invalid, and a blank message without a script is refused in words', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page);
    assert.equal(await chat.box.evaluate((el) => el.matches(':invalid')), false);
    assert.equal(await chat.box.evaluate((el) => el.labels[0].textContent), await chat.box.getAttribute('placeholder'), 'two wordings are said one after the other');
    const plain = await open(t, { as: anna, javaScriptEnabled: false, allow: [/status of 400/] });
    await plain.getByRole('button', { name: 'Send', exact: true }).click();
    await plain.getByRole('alert').getByText('There is nothing to send').waitFor();
});

test('no empty region "Alfred asks" is on the page', async (t) => {
    const page = await open(t, { as: anna });
    assert.equal(await page.getByRole('region', { name: 'Alfred asks' }).count(), 0);
});

test('a time is said once and exactly, and the model with the tokens', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page);
    await chat.exchange(provider, answers('Yes.'), 'Once');
    await page.reload();
    await ready(page);
    assert.equal(await page.locator('time[title]').count(), 0, 'a title replaces or repeats the words');
    const when = chat.reply.locator('time');
    await until('the words have the exact time on hover', async () => (await when.locator('[aria-hidden]').getAttribute('title')) === (await when.locator('.sr').textContent()));
    assert.match(await chat.reply.locator('.model').getAttribute('title'), /^test-model: \d/);
});

test('the first selected session is counted aloud, though the bar comes with it', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page);
    await chat.exchange(provider, answers('Yes.'), 'Pick me');
    await page.goto('/sessions');
    await ready(page);
    await chat.listen();
    await page.getByRole('checkbox', { name: /^Select / }).first().check();
    await until('it is said', async () => (await chat.heard()).includes('1 selected'));
});

test('what an open dialog does is said in the dialog, because the rest of the page is inert', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page);
    await chat.exchange(provider, answers('Yes.'), 'Tag me');
    await page.locator('#sessions-nav .row').first().hover();
    await page.locator('#sessions-nav .row-more').first().click();
    await page.getByRole('menuitem', { name: 'Tags' }).click();
    await page.getByRole('combobox', { name: 'New tag' }).fill('Boat');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('status').getByText('Boat').waitFor();
});

test('a notice that comes with the page is said', async (t) => {
    const page = await open(t, { as: await alfred.user('ben'), path: '/tasks' }), chat = new Chat(page);
    await page.getByRole('textbox', { name: 'New task' }).fill('Buy milk');
    await page.keyboard.press('Enter');
    await chat.said.getByText('The task is on your list.').waitFor();
    await page.goto('/');
    await ready(page);
    await chat.exchange(provider, answers('Yes.'), 'Not for long');
    await page.locator('#session-menu summary').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await chat.said.getByText('The session is in the trash.').waitFor();
});

/** Records the elements that listen to clicks and are no controls. */
const recordListeners = () => {
    window.clickable = [];
    const add = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (type, ...rest) {
        if (/^(click|mousedown|mouseup)$/.test(type) && this instanceof Element && !this.matches('a, button, summary, input, textarea')) window.clickable.push(`${this.localName}#${this.id}`);
        return add.call(this, type, ...rest);
    };
};

test('no list hears clicks, because Firefox says that all in it is clickable', async (t) => {
    const page = await open(t, { as: await alfred.user('carl') }), chat = new Chat(page);
    await chat.exchange(provider, answers('Yes.'), 'Is it clickable?');
    await page.addInitScript(recordListeners);
    for (const path of [page.url(), '/sessions']) {
        await page.goto(path);
        await ready(page);
        await page.locator('#sessions-nav .row').first().hover();
        await page.locator('#sessions-nav .row-more').first().click(); // what is loaded with a menu
        await page.keyboard.press('Escape');
        await quiet(page);
        assert.deepEqual(await page.evaluate(() => window.clickable), [], path);
    }
});
