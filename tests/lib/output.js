/** The output of a process so far, and waits for more of it. */
export class Output {
    text = '';
    #waits = new Set();

    add(chunk) {
        this.text += chunk;
        this.look();
    }

    /** Every wait looks again. */
    look() {
        for (const look of this.#waits) look();
    }

    /**
     * Resolves with the first result of find() that is true. find() is called at once and with each look(); when it throws,
     * the wait ends with its error. After `limitMs` the wait ends with the error of late().
     */
    wait(find, limitMs, late) {
        return new Promise((resolve, reject) => {
            const end = (settle, value) => {
                clearTimeout(timer);
                this.#waits.delete(look);
                settle(value);
            };
            const look = () => {
                try {
                    const found = find();
                    if (found) end(resolve, found);
                } catch (error) {
                    end(reject, error);
                }
            };
            const timer = setTimeout(() => end(reject, late()), limitMs);
            this.#waits.add(look);
            look();
        });
    }
}
