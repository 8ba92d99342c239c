// Two models side by side for one question, at every width, by keyboard, on two devices, in German and without a script.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, send, sessionOf } from '../../lib/chat.js';
import { Chat, texts } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { answers, asksForAnswer, phone, stage, until } from '../lib/stage.js';

const shot = (page, name) => process.env.SHOTS_DIR && page.screenshot({ path: `${process.env.SHOTS_DIR}/${name}.png` });
const { alfred, provider, open } = await stage({ two: true });
const anna = await alfred.admin('anna');
const { choices } = await anna.getJson('/api/me');
const first = choices.find((c) => c.provider === 'openai'), second = choices.find((c) => c.provider === 'anthropic');
const asks = (protocol, text) => (c) => asksForAnswer(c) && c.protocol === protocol && c.asks(text);
const both = (text) => Promise.all(['openai', 'anthropic'].map((d) => provider.call(asks(d, text))));
const column = (page, i) => page.locator('.compare .col').nth(i);
const says = (page, i, text) => column(page, i).locator('.answer').getByText(text).waitFor();

async function choose(page, t = texts('en')) {
    await page.locator('select[name=choice]').selectOption(first.value);
    await page.locator('#options summary').click();
    await page.getByLabel(t.composer.compare_with).selectOption(second.value);
    await page.keyboard.press('Escape');
}
/** Asks both models; each has said one word. */
async function begun(page, text) {
    const chat = new Chat(page);
    await choose(page);
    await chat.send(text);
    const calls = await both(text);
    for (const [i, call] of calls.entries()) {
        await call.start();
        await call.text(['Apples.', 'Pears.'][i]);
    }
    return { chat, calls };
}

for (const [where, options] of [['360', phone], ['768', { viewport: { width: 768, height: 1024 } }], ['1440', { viewport: { width: 1440, height: 900 } }]]) {
    test(`both answers are read live, a reload shows both, and one is chosen: ${where} px`, async (t) => {
        const page = await open(t, { as: anna, ...options });
        const wide = page.viewportSize().width >= 1100;
        const { chat, calls } = await begun(page, `Fruit at ${where}?`);
        await says(page, 0, 'Apples.');
        if (wide) {
            const boxes = await Promise.all([0, 1].map((i) => column(page, i).boundingBox()));
            assert.ok(boxes[0].x + boxes[0].width <= boxes[1].x && boxes[0].y === boxes[1].y, 'side by side');
        } else {
            await column(page, 1).waitFor({ state: 'hidden' }); // by a script that is loaded with the comparison
            await page.locator('.pick').nth(1).click();
        }
        await says(page, 1, 'Pears.');
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'nothing sticks out');
        assert.deepEqual(await axe(page), []);
        await shot(page, `compare-running-${where}`);

        await page.reload();
        await says(page, 0, 'Apples.');
        await calls[0].text(' And plums.');
        await says(page, 0, 'And plums.');
        await calls[0].end();
        await column(page, 0).locator('[data-stop]').waitFor({ state: 'detached' });
        assert.equal(await page.locator('[data-choose]:visible').count(), 0, 'not before both have ended');
        assert.ok(await page.locator('.stop').isVisible(), 'the second still runs');
        if (!wide) await page.locator('.pick').nth(1).click();
        await calls[1].text(' And figs.');
        await says(page, 1, 'And figs.');
        await calls[1].end();
        const button = column(page, 1).getByRole('button', { name: /Continue with this one/ });
        await button.waitFor();
        assert.deepEqual(await axe(page), []);
        assert.equal(await page.locator('#related').isVisible(), false, 'nothing lies over the answers');
        await shot(page, `compare-ended-${where}`);
        await button.click();
        await page.locator('.compare').waitFor({ state: 'detached' });
        assert.deepEqual(await chat.texts(), [`Fruit at ${where}?`, 'Pears. And figs.']);
        assert.match(await page.locator('.branches .count').innerText(), /2/);
    });
}

test('one is stopped by its own button, and the end is announced once', async (t) => {
    const page = await open(t, { as: anna });
    const { calls } = await begun(page, 'Stop one?');
    await says(page, 1, 'Pears.');
    await column(page, 0).getByRole('button', { name: /Stop/ }).click();
    await calls[0].gone;
    await column(page, 0).getByText('Stopped.').waitFor();
    await calls[1].text(' More.');
    await says(page, 1, 'More.');
    await page.keyboard.press('Escape');
    await calls[1].gone;
    await column(page, 1).getByRole('button', { name: /Continue with this one/ }).waitFor();
    assert.equal(await page.locator('.send').isVisible(), true);
});

test('by keyboard alone', async (t) => {
    const page = await open(t, { as: anna, viewport: { width: 800, height: 900 } });
    await page.locator('select[name=choice]').selectOption(first.value);
    await page.locator('#options summary').focus();
    await page.keyboard.press('Enter');
    const select = page.getByLabel('Compare with');
    await select.waitFor();
    await page.keyboard.press('Tab');
    assert.ok(await select.evaluate((el) => el === document.activeElement));
    await select.selectOption(second.value);
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('#options summary').evaluate((el) => el === document.activeElement));
    await page.locator('#options-chosen', { hasText: /^\+ / }).waitFor();
    provider.next(answers('Up.'), asks('openai', 'Keys?'));
    provider.next(answers('Down.'), asks('anthropic', 'Keys?'));
    await page.locator('#text').fill('Keys?');
    await page.locator('#text').press('Enter');
    await says(page, 0, 'Up.');
    await page.locator('.pick input').first().focus();
    await page.keyboard.press('ArrowRight');
    await says(page, 1, 'Down.');
    assert.equal(await column(page, 0).isVisible(), false);
    const button = column(page, 1).getByRole('button', { name: /Continue with this one/ });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.locator('.compare').waitFor({ state: 'detached' });
    assert.equal(await page.locator('select[name=compare_with]').inputValue(), '', 'the comparison was for one question');
});

test('another device reads both live', async (t) => {
    const { session } = await send(anna, 'Before', { choice: first.value }).then(async (s) => {
        await answers('Yes.')(await provider.call(asks('openai', 'Before')));
        await ended(anna, s.turn);
        return s;
    });
    const two = await open(t, { as: await alfred.signIn('anna'), path: `/s/${session}` });
    const page = await open(t, { as: anna, path: `/s/${session}` });
    const { calls } = await begun(page, 'Two devices?');
    for (const [i, word] of ['Apples.', 'Pears.'].entries()) await says(two, i, word);
    for (const call of calls) await call.end();
    for (const p of [page, two]) await column(p, 1).getByRole('button', { name: /Continue with this one/ }).waitFor();
    await column(page, 0).getByRole('button', { name: /Continue with this one/ }).click();
    for (const p of [page, two]) await p.locator('.compare').waitFor({ state: 'detached' });
    assert.equal((await sessionOf(anna, session)).messages.at(-1).text, 'Apples.');
});

test('without a script, in German', async (t) => {
    const page = await open(t, { as: anna, path: '/', javaScriptEnabled: false, locale: 'de-DE' });
    const de = texts('de');
    provider.next(answers('Oben.'), asks('openai', 'Ohne Skript?'));
    provider.next(answers('Unten.'), asks('anthropic', 'Ohne Skript?'));
    await page.locator('select[name=choice]').selectOption(first.value);
    await page.locator('#options summary').click();
    await page.getByLabel(de.composer.compare_with).selectOption(second.value);
    await page.locator('#text').fill('Ohne Skript?');
    await page.locator('.send').click();
    await says(page, 0, 'Oben.');
    const button = column(page, 1).getByRole('button', { name: new RegExp(de.compare.choose) });
    await until('both have ended', async () => {
        await page.reload();
        return button.isVisible();
    });
    await shot(page, 'compare-noscript');
    await button.click();
    await page.locator('.answer', { hasText: 'Unten.' }).waitFor();
    assert.equal(await page.locator('.compare').count(), 0);
});

test('another model answers beside an existing answer, from its menu', async (t) => {
    const page = await open(t, { as: anna, viewport: { width: 1440, height: 900 } });
    const chat = new Chat(page);
    await page.locator('select[name=choice]').selectOption(first.value);
    await chat.exchange(provider, answers('Alone.'), 'Beside?');
    provider.next(answers('Together.'), asks('anthropic', 'Beside?'));
    await chat.act(chat.reply, 'Answer again with another model').click();
    await page.getByRole('menuitem', { name: 'Compare with…' }).click();
    await page.getByRole('menuitem', { name: second.label }).click();
    await says(page, 1, 'Together.');
    await says(page, 0, 'Alone.');
    await column(page, 1).getByRole('button', { name: /Continue with this one/ }).click();
    await page.locator('.compare').waitFor({ state: 'detached' });
    assert.deepEqual(await chat.texts(), ['Beside?', 'Together.']);
});

test('the options fit a phone, in the dark, and have no findings', async (t) => {
    await anna.postJson('/api/personas', { name: 'A persona with a rather long name', text: 'You are patient.' });
    for (const [where, options] of [['360', phone], ['1440', { viewport: { width: 1440, height: 900 } }]]) {
        const page = await open(t, { as: anna, colorScheme: 'dark', ...options });
        await page.locator('#options summary').click();
        await page.locator('select[name=persona]').selectOption({ index: 1 });
        await page.getByLabel('Compare with').selectOption(second.value);
        assert.deepEqual(await axe(page), []);
        await shot(page, `options-${where}`);
        await page.keyboard.press('Escape');
        // On a phone the chosen options have a line of their own above the row.
        const parts = await page.locator(`.composer-row > :is(.choice, .send, ${where === '360' ? '#gauge' : '.gauge'})`).evaluateAll((all) => all.map((el) => el.getBoundingClientRect()).filter((b) => b.height).map((b) => Math.round(b.top + b.height / 2)));
        assert.equal(new Set(parts).size, 1, `one row: ${parts}`);
        const send = await page.locator('.send').boundingBox(), box = await page.locator('#composer').boundingBox();
        assert.ok(send.x + send.width <= box.x + box.width, 'Send is in the box');
        await shot(page, `options-chosen-${where}`);
    }
});

test('the chosen model is not offered for the comparison', async (t) => {
    const page = await open(t, { as: anna });
    await choose(page);
    const rival = page.locator('select[name=compare_with]'), offered = () => rival.evaluate((s) => [...s.options].filter((o) => !o.disabled && !o.hidden).map((o) => o.value));
    assert.equal((await offered()).includes(first.value), false);
    await page.locator('select[name=choice]').selectOption(second.value);
    await until('the second model is gone from the list', async () => !(await offered()).includes(second.value));
    assert.equal(await rival.inputValue(), '', 'it was the chosen one');
    assert.equal((await offered()).includes(first.value), true);
});

test('a reminder that is due covers no button of the answers, in a wide window and on a phone', async (t) => {
    const bea = await alfred.user('bea'), start = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
    for (const text of ['Stand up and walk', 'Wakes the helper']) {
        await bea.post('/reminders', { text, start, repeat: 'never', kind: 'remind' });
        if (text.startsWith('Stand')) alfred.sql('UPDATE reminder SET next_at = ? WHERE text = ?', Date.now(), text);
    }
    for (const [name, options] of [['wide', { viewport: { width: 1440, height: 900 } }], ['phone', phone]]) {
        const page = await open(t, { as: bea, ...options });
        await page.locator('.due-box').waitFor();
        const { calls } = await begun(page, `Covered in a ${name} window?`);
        for (const call of calls) {
            await call.text(`\n\n${Array.from({ length: 60 }, (_, i) => `- Kind ${i}`).join('\n')}`);
            await call.end();
        }
        const seen = page.locator('[data-choose]:visible');
        await seen.first().waitFor();
        await page.evaluate(() => scrollTo(0, 700)); // the names and buttons stay at the top
        await until(`each button can be pressed, ${name}`, () => seen.evaluateAll((all) => all.every((el) => {
            const { left, right, top, bottom } = el.getBoundingClientRect();
            return [left + 4, right - 4].every((x) => el.contains(document.elementFromPoint(x, (top + bottom) / 2)));
        })));
        const [due, foot] = await Promise.all(['.due-box', '#composer'].map((s) => page.locator(s).boundingBox()));
        assert.ok(due.y + due.height <= foot.y, JSON.stringify([due, foot]));
        await shot(page, `compare-due-${name}`);
    }
});

test('on a phone the other answer is one tap away from each place of a long answer', async (t) => {
    const page = await open(t, { as: anna, ...phone });
    const { calls } = await begun(page, 'Which fruits are there?');
    for (const call of calls) {
        await call.text(`\n\n${Array.from({ length: 60 }, (_, i) => `- Kind ${i}`).join('\n')}`);
        await call.end();
    }
    await page.locator('[data-choose]:visible').waitFor();
    await page.evaluate(() => scrollTo(0, 900));
    const picks = page.locator('.pick'), other = await picks.nth(1).boundingBox(), choice = await page.locator('[data-choose]:visible').boundingBox();
    assert.ok(other.y >= 48 && other.y + other.height <= choice.y && choice.y + choice.height < 740 / 4, JSON.stringify([other, choice]));
    await picks.nth(1).tap();
    assert.deepEqual([await column(page, 0).isVisible(), await column(page, 1).isVisible()], [false, true]);
    assert.ok(await page.evaluate(() => scrollY > 700), 'the place is kept');
});

test('on a phone a chosen comparison is named above the buttons', async (t) => {
    const page = await open(t, { as: anna, ...phone });
    await choose(page);
    const chosen = page.locator('#options-chosen');
    await chosen.filter({ hasText: /^\+ \S/ }).waitFor();
    const [line, button] = await Promise.all([chosen, page.locator('.send')].map((l) => l.boundingBox()));
    assert.ok(line.y + line.height <= button.y && line.x >= 0 && line.x + line.width <= 360, JSON.stringify([line, button]));
    assert.deepEqual(await axe(page), []);
    await shot(page, 'compare-chosen-phone');
});

test('an answer of a comparison that a link leads to is lit', async (t) => {
    const page = await open(t, { as: anna });
    const { calls } = await begun(page, 'Lit?');
    for (const call of calls) await call.end();
    await page.locator('[data-choose]:visible').first().waitFor();
    const id = await column(page, 1).locator('article').first().getAttribute('id');
    await page.goto(`${new URL(page.url()).pathname}?at=${id.slice(2)}#${id}`);
    const lit = (i) => column(page, i).locator('article').first().evaluate((el) => getComputedStyle(el).boxShadow);
    await until('it is lit', async () => /8px/.test(await lit(1)));
    assert.equal(await lit(0), 'none');
});

test('a message that was sent during both answers follows the chosen one', async (t) => {
    const page = await open(t, { as: anna });
    const { chat, calls } = await begun(page, 'Which waits?');
    for (const text of ['And then?', 'And after that?']) await chat.send(text);
    const waiting = page.locator('#queue li');
    await waiting.nth(1).waitFor();
    for (const call of calls) await call.end();
    const button = column(page, 1).getByRole('button', { name: /Continue with this one/ });
    await button.waitFor();
    await page.reload();
    await button.waitFor();
    assert.equal(await waiting.count(), 2, 'the choice comes first');
    provider.next(answers('Then this.'), (c) => asksForAnswer(c) && c.userText === 'And then?');
    provider.next(answers('After that, this.'), (c) => asksForAnswer(c) && c.userText === 'And after that?');
    await button.click();
    await chat.reads('After that, this.');
    assert.deepEqual(await chat.texts(), ['Which waits?', 'Pears.', 'And then?', 'Then this.', 'And after that?', 'After that, this.']);
    assert.equal(await waiting.count(), 0);
});

test('messages that wait on another device follow the answer that is chosen here', async (t) => {
    const { session } = await send(anna, 'Before the fruit', { choice: first.value }).then(async (s) => {
        await answers('Yes.')(await provider.call(asks('openai', 'Before the fruit')));
        await ended(anna, s.turn);
        return s;
    });
    for (const [i, says] of ['Apples.', 'Pears.'].entries()) {
        const two = await open(t, { as: await alfred.signIn('anna'), path: `/s/${session}` });
        const page = await open(t, { as: anna, path: `/s/${session}` });
        const question = `Which one, ${i}?`, { chat, calls } = await begun(two, question);
        await chat.send(`It waits, ${i}.`);
        await two.locator('#queue li').waitFor();
        for (const call of calls) await call.end();
        const button = column(page, i).getByRole('button', { name: /Continue with this one/ });
        await button.waitFor();
        assert.equal(await two.locator('#queue li').count(), 1, 'the choice comes first');
        provider.next(answers('Then this.'), (c) => asksForAnswer(c) && c.userText === `It waits, ${i}.`);
        await button.click();
        await chat.reads('Then this.');
        await chat.settled();
        assert.deepEqual((await chat.texts()).slice(-4), [question, says, `It waits, ${i}.`, 'Then this.']);
        assert.equal(await two.locator('#queue li').count(), 0);
    }
});

test('a comparison belongs to the message for which it was chosen, also while that waits; the session keeps its model', async (t) => {
    const page = await open(t, { as: anna }), chat = new Chat(page), named = page.locator('#options-chosen');
    const selected = () => page.locator('#composer select:not([name=persona])').evaluateAll((all) => all.map((s) => s.value));
    await page.locator('select[name=choice]').selectOption(first.value);
    await chat.send('Alone at first?');
    const call = await provider.call(asks('openai', 'Alone at first?'));
    await call.start();
    await chat.send('Alone and waiting?');
    await choose(page);
    await chat.send('Together and waiting?');
    await chat.waiting.nth(1).waitFor();
    assert.deepEqual(await selected(), ['', first.value], 'the next message has one answer again');
    assert.equal(await named.textContent(), '');
    await page.reload();
    await chat.waiting.nth(1).waitFor();
    provider.next(answers('One.'), asks('openai', 'Alone and waiting?'));
    await call.text('Yes.');
    await call.end();
    const calls = await both('Together and waiting?');
    assert.ok(!provider.calls.some(asks('anthropic', 'Alone and waiting?')));
    for (const one of calls) await answers('Both.')(one);
    await column(page, 1).getByRole('button', { name: /Continue with this one/ }).click();
    await page.locator('.compare').waitFor({ state: 'detached' });
    assert.deepEqual(await selected(), ['', first.value]);
    provider.next(answers('By the first model.'), asks('openai', 'And then?'));
    await chat.send('And then?');
    await chat.reads('By the first model.');
});
