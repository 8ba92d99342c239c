// Links to a message in a long session: the message is shown with its neighbours, and links load more messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, exchange, send } from '../../lib/chat.js';
import { bring, chatgpt } from '../../lib/transfer.js';
import { Chat } from '../lib/chat.js';
import { answers, leads, nextPage, phone, stage, until } from '../lib/stage.js';

const { alfred, provider, open, blank, asked } = await stage();
const anna = await alfred.admin('anna');
const PAIRS = 150;
const paragraph = (i) => `Answer ${i} has a few words, so that it takes some room on the screen.\n\nAnd a second paragraph ${i}.`;

/** An imported session of 300 messages; `ids` are [question, answer] of each pair. */
async function longSession() {
    await bring(anna, JSON.stringify([chatgpt('long', Array.from({ length: PAIRS }, (_, i) => [`Question ${i}`, paragraph(i)]).flat(), { title: 'A long one' })]));
    const [{ id }] = (await anna.getJson('/api/sessions')).sessions;
    const read = alfred.sql('SELECT m.id FROM message m JOIN session s ON s.id = m.session_id WHERE s.pub = ? ORDER BY m.id', id).map((m) => String(m.id));
    return { session: id, ids: Array.from({ length: PAIRS }, (_, i) => read.slice(2 * i, 2 * i + 2)) };
}
const { session, ids } = await longSession();
const link = (id) => `/s/${session}?at=${id}#m-${id}`;
const shown = (page) => page.locator('#transcript article').evaluateAll((all) => all.map((el) => el.dataset.id));

/** The message is in the upper part of the window, unless the conversation ends there. */
async function landed(page, id) {
    const place = () => page.locator(`#m-${id}`).evaluate((el) => ({ top: el.getBoundingClientRect().top, bar: document.querySelector('.bar').getBoundingClientRect().bottom, height: innerHeight, left: document.documentElement.scrollHeight - innerHeight - scrollY }));
    let at;
    await until('the message is in view', async () => {
        at = await place();
        return at.top >= at.bar - 1 && at.top < (at.left < 4 ? at.height - 100 : at.height / 2);
    }).catch((e) => assert.fail(`${e.message}: ${JSON.stringify(at)}`));
}

for (const [how, options] of [['with JavaScript', {}], ['without JavaScript', { javaScriptEnabled: false }], ['on a phone', phone]]) {
    test(`a link to an old message leads to it, ${how}`, async (t) => {
        const page = await blank(t, { as: anna, ...options });
        for (const [question, answer] of [ids[20], ids[0], ids[PAIRS - 1]]) {
            for (const id of [question, answer]) {
                await page.goto(link(id));
                await landed(page, id);
                const around = await shown(page);
                assert.ok(around.includes(id) && around.length <= 200, `${around.length}`);
                assert.deepEqual(around, ids.flat().slice(ids.flat().indexOf(around[0])).slice(0, around.length), 'one stretch of the conversation');
                const tint = (el) => getComputedStyle(el.closest('li')).animationName;
                assert.equal(await page.locator(`#m-${id}`).evaluate(tint), 'lit');
            }
        }
    });
}

test('later messages load while scrolling down, earlier ones while scrolling up, each once', async (t) => {
    const page = await open(t, { as: anna, path: link(ids[60][0]) });
    await landed(page, ids[60][0]);
    for (const [way, y] of [['newer', 'document.documentElement.scrollHeight'], ['older', '0']]) {
        const read = new Set();
        const look = async () => {
            const now = await shown(page);
            assert.deepEqual(now, ids.flat().slice(ids.flat().indexOf(now[0])).slice(0, now.length), 'one stretch of the conversation');
            now.forEach((id) => read.add(id));
        };
        await until(`no ${way} part is left`, async () => {
            await page.evaluate(`scrollTo(0, ${y})`);
            await look();
            return (await page.locator(`#${way}`).count()) === 0;
        });
        await look();
        if (way === 'older') assert.equal(read.size, ids.flat().length);
    }
});

test('visible text does not move while later messages load', async (t) => {
    const page = await open(t, { as: anna, path: link(ids[60][0]) });
    await landed(page, ids[60][0]);
    const count = await page.locator('#transcript article').count();
    await page.locator('#newer').scrollIntoViewIfNeeded();
    await page.waitForFunction((n) => document.querySelectorAll('#transcript article').length > n, count);
    const last = page.locator(`#m-${ids[60 + 12][1]}`);
    const seen = await last.evaluate((el) => el.getBoundingClientRect().bottom);
    assert.ok(seen > 0 && seen < 800, `the message that was last is still in view (${seen})`);
});

test('without JavaScript, links lead to earlier, later and the newest messages', async (t) => {
    const page = await open(t, { as: anna, path: link(ids[60][0]), javaScriptEnabled: false });
    const follow = (name) => nextPage(page, () => page.getByRole('link', { name }).click());
    const middle = await shown(page);
    await follow('Later messages');
    const later = await shown(page);
    assert.equal(later[0], ids.flat()[ids.flat().indexOf(middle.at(-1)) + 1]);
    await follow('Earlier messages');
    assert.equal((await shown(page)).at(-1), middle.at(-1));
    await follow('Newest messages');
    assert.equal((await shown(page)).at(-1), ids.at(-1)[1]);
    assert.equal(await page.getByRole('link', { name: 'Later messages' }).count(), 0);
});

test('a message of another version is shown with its own branch', async (t) => {
    const text = 'Question 30, said differently';
    provider.next(answers('Another way.'), (call) => call.asks(text));
    const sent = await anna.postJson(`/api/sessions/${session}/messages/${ids[30][0]}/edit`, { text });
    await (await anna.events(`/api/turns/${sent.json.turn}/events`)).until((e) => e.event === 'end');
    for (const options of [{}, { javaScriptEnabled: false }]) {
        const page = await open(t, { as: anna, path: link(ids[100][1]), ...options });
        await landed(page, ids[100][1]);
        assert.equal(await page.locator('#composer [name=parent]').inputValue(), ids.at(-1)[1], 'the branch of the link');
        await page.goto(link(ids[25][0]));
        await landed(page, ids[25][0]);
        const around = await shown(page);
        assert.equal(around.at(-1), sent.json.reply, 'a message of both: the branch that goes on');
        assert.ok(!around.includes(ids[30][0]));
    }
    // Restores the conversation for the tests below.
    provider.next(answers('Back.'), (call) => call.userText === 'Back again');
    const back = await anna.postJson(`/api/sessions/${session}/messages`, { text: 'Back again', parent: ids.at(-1)[1] });
    await (await anna.events(`/api/turns/${back.json.turn}/events`)).until((e) => e.event === 'end');
    ids.push([back.json.asked, back.json.reply]);
});

test('a message that is sent from the middle is added at the end, and the page goes there', async (t) => {
    const page = await open(t, { as: anna, path: link(ids[40][0]) });
    await landed(page, ids[40][0]);
    const chat = new Chat(page);
    await chat.send('From the middle');
    const call = await asked('From the middle');
    await call.text('It goes on');
    await chat.reads('It goes on');
    assert.equal(await chat.question.getAttribute('data-parent'), ids.at(-1)[1]);
    await call.text(' at the end.');
    await call.end();
    await chat.settled();
    await chat.reads('It goes on at the end.');
    assert.equal(await page.locator('#newer').count(), 0);
    const now = await shown(page);
    assert.equal(now.at(-3), ids.at(-1)[1], 'what is shown has no gap');
    ids.push(now.slice(-2));
    await leads(page, new RegExp(session), () => page.reload());
    assert.deepEqual((await shown(page)).slice(-2), ids.at(-1));
});

test('the button leads to the newest message', async (t) => {
    const page = await open(t, { as: anna, path: link(ids[40][0]) });
    await landed(page, ids[40][0]);
    await page.getByRole('button', { name: 'To the newest message' }).click();
    await page.locator(`#m-${ids.at(-1)[1]}`).waitFor();
    await until('the end is in view', () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY < 4));
    const now = await shown(page);
    assert.deepEqual(now, ids.flat().slice(-now.length));
});

test('an old message that is changed in place stays in view', async (t) => {
    const page = await open(t, { as: anna, path: link(ids[40][0]) });
    const chat = new Chat(page);
    const message = page.locator(`#m-${ids[44][0]}`);
    await message.scrollIntoViewIfNeeded();
    await message.hover();
    await chat.act(message, 'Edit').click();
    await message.getByRole('textbox').fill('Question 44, with other words');
    await message.getByRole('button', { name: 'Save', exact: true }).click();
    await message.filter({ hasText: 'with other words' }).waitFor();
    assert.equal(await message.evaluate((el) => el.getBoundingClientRect().top > 0 && el.getBoundingClientRect().bottom < innerHeight), true);
});

test('a search hit leads to the message', async (t) => {
    const page = await open(t, { as: anna, path: '/search?q=%22Question+25%22&show=messages' });
    const hit = page.locator(`#hits a[href*="at=${ids[25][0]}#"]`);
    await leads(page, /at=/, () => hit.click());
    await landed(page, ids[25][0]);
});

test('a link to a deleted message leads to the trash, and from then on to the conversation with a sentence', async (t) => {
    const sent = await exchange(anna, provider, 'To be deleted', 'Soon gone.');
    const kept = await exchange(anna, provider, 'To be kept', 'Here.', { session: sent.session, parent: sent.asked });
    assert.equal((await anna.request('DELETE', `/api/sessions/${sent.session}/messages/${sent.reply}`, { json: {} })).status, 200);
    const to = { as: anna, path: `/s/${sent.session}?at=${sent.reply}#m-${sent.reply}` };
    const both = [{ allow: [/status of 4(04|10)/] }, { javaScriptEnabled: false, allow: [/status of 4(04|10)/] }];
    for (const options of both) {
        const page = await open(t, { ...to, ...options });
        await page.getByText('This message is in the trash. Restore it to see it in its conversation.').waitFor();
        await page.getByRole('button', { name: 'Restore' }).waitFor();
    }
    const [entry] = (await anna.getJson('/api/trash')).trash;
    assert.equal((await anna.request('DELETE', `/api/trash/${entry.id}`, { json: {} })).status, 200);
    for (const options of both) {
        const page = await open(t, { ...to, ...options });
        await page.getByRole('alert').filter({ hasText: 'The message that this link leads to is not in this conversation.' }).waitFor();
        assert.equal((await shown(page)).at(-1), kept.reply);
    }
    const gone = await open(t, { as: anna, path: '/s/ses_00000000000000000000000000', allow: [/status of 404/], javaScriptEnabled: false });
    await gone.getByText('This session does not exist. It may have been deleted.').waitFor();
});

test('the button to the newest message leads to an answer that grows on', async (t) => {
    const sent = await send(anna, 'What else?', { session });
    const call = await asked('What else?');
    await call.text('So far');
    const page = await open(t, { as: anna, path: link(ids[40][0]) });
    await landed(page, ids[40][0]);
    await page.getByRole('button', { name: 'To the newest message' }).click();
    const chat = new Chat(page);
    await chat.reads('So far');
    await call.text(', and further');
    await chat.reads('So far, and further');
    await call.end();
    await ended(anna, sent.turn);
    await chat.settled();
});
