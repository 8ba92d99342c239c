// The table that the bench prints, and the figures that history.js stores.
import { readFileSync } from 'node:fs';
import os from 'node:os';

const NAME_WIDTH = 62;

function number(value) {
    if (value >= 1000) return String(Math.round(value));
    return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function describe(run) {
    return `${run.date} at ${run.commit}, load ${run.load.toFixed(1)}`;
}

export class Table {
    #lines = [];
    #missed = [];
    #history;
    #compared = new Set();
    #part = '';
    #heading = '';
    /** @type {Record<string, number>} by part, heading and name */
    figures = {};
    broken = false;

    /** @param {import('./history.js').Run[]} history earlier runs, oldest first */
    constructor(history = []) {
        this.#history = history;
    }

    /** `part` is its name in the history: titles say seconds and counts, which differ between runs. */
    part(part, title) {
        this.#part = part;
        this.#heading = '';
        this.#lines.push('', title);
    }

    /** Indented rows belong to the last row that is not indented. */
    #key(name) {
        if (!name.startsWith(' ')) this.#heading = name;
        return [this.#part, this.#heading, ...(name.startsWith(' ') ? [name.trim()] : [])].join(' / ');
    }

    /** The figure of the last run that has it, as text. */
    #before(key) {
        const run = this.#history.findLast((r) => key in r.figures);
        if (!run) return '';
        this.#compared.add(run);
        return `(${number(run.figures[key])})`;
    }

    /** One figure; with an aim (at most, or with `least` at least) also whether it is reached. */
    row(name, value, unit, { aim, least = false } = {}) {
        let verdict = '';
        if (aim !== undefined) {
            const met = least ? value >= aim : value <= aim;
            verdict = `aim ${least ? 'at least' : 'at most'} ${aim}: ${met ? 'met' : 'MISSED'}`;
            if (!met) this.#missed.push(`${name.trim()}: ${number(value)} ${unit}`);
        }
        const key = this.#key(name);
        this.figures[key] = value;
        this.#lines.push(`  ${name.padEnd(NAME_WIDTH)}${number(value).padStart(9)} ${this.#before(key).padStart(9)} ${unit.padEnd(11)} ${verdict}`.trimEnd());
    }

    /** A part that could not be measured; the others continue. */
    failed(part, error) {
        this.broken = true;
        this.#lines.push('', `${part}: not measured: ${error.message}`);
    }

    /** @param {import('./history.js').Run} run this one */
    print(run) {
        const cpu = readFileSync('/proc/cpuinfo', 'utf8').match(/model name\s*: (.*)/)?.[1] ?? 'unknown processor';
        console.log(`Alfred's bench: ${os.cpus().length} x ${cpu}, Linux ${os.release()}, ${Math.round(run.seconds)} s`);
        console.log(`This run: ${describe(run)}`);
        for (const before of this.#compared) console.log(`In parentheses, the run before: ${describe(before)}`);
        console.log('Clients, provider and service share these processors, so rates are those of the whole machine; all over loopback.');
        if (run.load > os.cpus().length / 2) console.log(`The machine was busy with other things, too (load ${run.load.toFixed(1)}): delays and ratios are worse than they would be.`);
        console.log(this.#lines.join('\n'));
        console.log(this.#missed.length ? `\nMissed: ${this.#missed.join('; ')}` : '\nAll aims met.');
    }
}
