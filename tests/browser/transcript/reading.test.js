// The scroll position: a new turn near the top, pinned to the end until scrolled up, the button back, older messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange } from '../../lib/chat.js';
import { Chat } from '../lib/chat.js';
import { answers, loaded, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, asked } = await stage();
const anna = await alfred.admin('anna');
const LONG = Array.from({ length: 40 }, (_, i) => `Paragraph ${i} of an answer that is longer than the window.`).join('\n\n');

const left = (page) => page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY);
const atEnd = (page) => until('the end is in view', async () => (await left(page)) < 4);
const button = (page) => page.getByRole('button', { name: 'To the newest message' });

/** Waits until scrolling has ended. */
const still = (page) =>
    page.evaluate(
        () =>
            new Promise((done) => {
                let last = -1;
                let frames = 0;
                const look = () => {
                    frames = scrollY === last ? frames + 1 : 0;
                    last = scrollY;
                    if (frames > 5) done();
                    else requestAnimationFrame(look);
                };
                look();
            }),
    );

/** A page with a long answer, and a second one running. */
async function reading(t, text) {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, answers(LONG, 200), `${text}, first`);
    await chat.send(text);
    const call = await asked(text);
    await call.text('It begins.');
    await chat.reads('It begins.');
    return { page, chat, call };
}

test('a new turn is near the top, and the answer grows into the space below it', async (t) => {
    const { page, chat, call } = await reading(t, 'To the top');
    const top = () => chat.question.evaluate((el) => el.getBoundingClientRect().top);
    const bar = await page.locator('.bar').evaluate((el) => el.getBoundingClientRect().bottom);
    await until('it is near the top', async () => Math.abs((await top()) - bar) < 40);
    const before = await top();
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -200);
    await until('it is scrolled down by the wheel', async () => (await top()) - before > 150);
    await still(page);
    assert.equal(await button(page).isVisible(), false, 'the space below the newest message hides none');
    await page.mouse.wheel(0, 200);
    await atEnd(page);
    await still(page);
    for (let i = 0; i < 5; i++) await call.text(`\n\nLine ${i}.`);
    await chat.answer.filter({ hasText: 'Line 4.' }).waitFor();
    assert.ok(Math.abs((await top()) - before) < 2, 'the question stays while there is room');
    await call.text(`\n\n${LONG}\n\nThe very end.`);
    await chat.answer.filter({ hasText: 'The very end.' }).waitFor();
    await atEnd(page);
    await call.end();
    await chat.settled();
    await atEnd(page);
});

test('pinned to the end until the reader scrolls up; the button and the end pin again', async (t) => {
    const { page, chat, call } = await reading(t, 'Pinned');
    await call.text(`\n\n${LONG}`);
    await chat.answer.filter({ hasText: 'Paragraph 39' }).waitFor();
    await atEnd(page);
    assert.equal(await button(page).isVisible(), false);
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -300);
    await button(page).waitFor();
    const y = await page.evaluate(() => scrollY);
    await call.text('\n\nWhile you read above.');
    await chat.answer.filter({ hasText: 'While you read above.' }).waitFor();
    assert.equal(await page.evaluate(() => scrollY), y, 'what is read does not move');
    await button(page).click();
    await atEnd(page);
    await button(page).waitFor({ state: 'hidden' });
    await call.text(`\n\n${LONG}\n\nAnd on.`);
    await chat.answer.filter({ hasText: 'And on.' }).waitFor();
    await atEnd(page);
    // By keyboard, and back by scrolling to the end.
    await chat.box.evaluate((el) => el.blur());
    await page.keyboard.press('PageUp');
    await button(page).waitFor();
    await still(page); // a wheel event during smooth scrolling is lost
    await page.mouse.wheel(0, 5000);
    await button(page).waitFor({ state: 'hidden' });
    await call.text('\n\nLast line.');
    await chat.answer.filter({ hasText: 'Last line.' }).waitFor();
    await atEnd(page);
    await call.end();
    await chat.settled();
});

test('a long question that is unfolded at the end stays where it is; a list that opens there comes into view', async (t) => {
    const long = await exchange(anna, provider, Array.from({ length: 300 }, (_, i) => `Line ${i}`).join('\n'), 'Well.');
    const page = await open(t, { as: anna, path: `/s/${long.session}` });
    const chat = new Chat(page), top = async () => (await chat.question.boundingBox()).y;
    await loaded(page, 'chat/edit');
    const before = await top();
    await page.getByText('Show the whole message').click();
    await until('it is open', async () => (await chat.question.boundingBox()).height > 3000);
    await still(page);
    assert.equal(await top(), before);
    await button(page).click();
    await atEnd(page);

    for (let i = 0; i < 12; i++) assert.equal((await anna.postJson('/api/memories', { text: `Boat number ${i} is called ${'ABCDEFGHIJKL'[i]}da` })).status, 201);
    await chat.exchange(provider, answers(LONG, 200), 'What is each boat called?');
    await atEnd(page);
    await page.locator('.used > summary').last().click();
    const facts = page.locator('.facts').last();
    await facts.waitFor();
    await still(page);
    const { y, height } = await facts.boundingBox(), foot = await page.locator('#foot').boundingBox();
    assert.ok(height > 200 && y > 0 && y + height <= foot.y, JSON.stringify({ y, height, foot }));
});

test('a long session opens at its end, and older messages load without moving visible text', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, answers('Answer 0'), 'Question 0');
    const id = page.url().match(/ses_[^/?#]+/)[0];
    await page.goto('/'); // else it follows all of them, and a load of the same address keeps the place
    for (let i = 1; i <= 60; i++) {
        provider.next(answers(`Answer ${i}`, 100), (call) => call.userText === `Question ${i}`);
        const sent = await anna.postJson(`/api/sessions/${id}/messages`, { text: `Question ${i}` });
        assert.equal(sent.status, 202);
        const events = await anna.events(`/api/turns/${sent.json.turn}/events`);
        await events.until((e) => e.event === 'end');
    }
    await page.goto(`/s/${id}`);
    await ready(page);
    await atEnd(page);
    await chat.reads('Answer 60');
    const shown = await chat.messages.count();
    assert.ok(shown < 122, `not all of 122 messages come at once (${shown})`);
    const first = chat.messages.first();
    const before = await first.getAttribute('id');
    await page.mouse.move(600, 300);
    await page.keyboard.press('Escape');
    await chat.box.evaluate((el) => el.blur());
    // Goes up until older ones load; the visible message does not move.
    const older = page.locator('#older'), address = await older.getAttribute('href');
    await older.focus();
    await until('older ones came', async () => (await chat.messages.count()) > shown);
    await until('the link leads further', async () => (await older.getAttribute('href')) !== address);
    assert.ok(await older.evaluate((el) => el === document.activeElement), 'the focus goes to the next link');
    const top = await page.evaluate((anchor) => document.getElementById(anchor).getBoundingClientRect().top, before);
    assert.ok(top > -200 && top < 900, `the message that was first is still in view (${top})`);
    const read = new Set(); // those that are far below leave the page
    const look = async () => (await chat.messages.locator('.bubble, .answer').allTextContents()).forEach((text) => read.add(text.trim()));
    await until('all were there', async () => {
        await page.evaluate(() => scrollTo(0, 0)); // the place is kept while a part is added, so the reader goes up again
        await look();
        return (await page.locator('#older').count()) === 0;
    });
    await look();
    for (let i = 0; i <= 60; i++) assert.ok(read.has(`Question ${i}`) && read.has(`Answer ${i}`), `exchange ${i}`);
});

test('a message has an address that leads to it', async (t) => {
    const page = await open(t, { as: anna });
    const chat = new Chat(page);
    await chat.exchange(provider, answers(LONG, 200), 'Where am I?');
    await chat.exchange(provider, answers(LONG, 200), 'And now?');
    const question = chat.questions.first();
    const address = await question.locator('.when').getAttribute('href');
    await page.goto('/');
    await page.goto(address);
    await ready(page);
    const top = await question.evaluate((el) => el.getBoundingClientRect().top);
    assert.ok(top >= 40 && top < 200, `the message is near the top (${top})`);
    assert.equal(await chat.messages.count(), 4);
});
