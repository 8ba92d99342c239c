// The chat page as a user sees it: the box, the messages, the announcements for screen readers.
import { readFileSync } from 'node:fs';

import { ROOT, until } from '../../lib/rig.js';

/** Exactly this text, ignoring white space. */
export const exactly = (text) => new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+')}\\s*$`);

/** The texts of a language, by its code. */
export const texts = (code) => JSON.parse(readFileSync(`${ROOT}/lang/${code}.json`, 'utf8'));

export class Chat {
    /** @param {any} l the texts of the page's language */
    constructor(page, l = texts('en')) {
        this.page = page;
        this.box = page.getByRole('textbox', { name: l.composer.label });
        this.sendButton = page.getByRole('button', { name: l.composer.send, exact: true });
        this.stopButton = page.getByRole('button', { name: l.composer.stop });
        this.messages = page.locator('#transcript > li:not(.pending) > article');
        this.questions = page.locator('#transcript article.user');
        this.replies = page.locator('#transcript article.assistant');
        this.question = this.questions.last();
        this.reply = this.replies.last();
        /** The text of the last answer, running or complete. */
        this.answer = this.reply.locator('.answer');
        this.waiting = page.getByRole('list', { name: l.composer.waiting }).getByRole('listitem');
        this.sidebar = page.getByRole('complementary', { name: l.frame.side_label });
        this.rows = page.locator('#sessions-nav .row');
        this.said = page.locator('#say');
    }

    async write(text) {
        await this.box.fill(text);
    }
    async send(text) {
        await this.write(text);
        await this.box.press('Enter');
    }
    /** Waits until the last answer has this text. */
    reads(text) {
        return this.answer.filter({ hasText: typeof text === 'string' ? exactly(text) : text }).waitFor();
    }
    /** Waits until the last answer is complete, with its actions. */
    async settled() {
        await this.reply.locator('.acts, .problem').first().waitFor({ state: 'attached' });
        await this.page.locator('#page:not([data-running])').waitFor();
    }
    /** Sends and lets the provider answer; waits for the end. */
    async exchange(provider, behave, text) {
        const before = await this.replies.count();
        provider.next(behave, (call) => call.asks(text));
        await this.send(text);
        await this.replies.nth(before).waitFor();
        await this.settled();
    }
    /** The messages' visible texts in order, read in one step: the page may replace the list between two. */
    texts() {
        const sel = '#transcript > li:not(.pending) > article :is(.bubble, .answer)';
        // A message that has just been put there has no visible text until Chromium has looked where it is (content-visibility).
        // Asked from here: without JavaScript the page runs no callbacks.
        return until('the messages have visible texts', () => this.page.evaluate((s) => {
            const all = [...document.querySelectorAll(s)];
            return all.some((el) => !el.innerText && el.textContent.trim()) ? null : all.map((el) => el.innerText);
        }, sel));
    }
    /** A control in the row below a message. */
    act(message, name) {
        return message.locator('.acts').locator(`:is(button, a, summary)[aria-label="${name}"]`);
    }
    /** Records announcements for screen readers from now on: `await chat.listen()` ... `await chat.heard()`. */
    async listen() {
        await this.page.evaluate(() => {
            window.heard = [];
            new MutationObserver(() => {
                const text = document.getElementById('say').textContent;
                if (text) window.heard.push(text);
            }).observe(document.getElementById('say'), { childList: true, characterData: true, subtree: true });
        });
    }
    heard() {
        return this.page.evaluate(() => window.heard);
    }
}
