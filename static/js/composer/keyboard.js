/** Whether a virtual keyboard is open. Loaded on touch screens. */
const KEYBOARD_PX = 120; // a viewport smaller by this has a keyboard

const height = () => visualViewport?.height ?? innerHeight;
let tallest = height(), width = innerWidth;
visualViewport?.addEventListener("resize", () => {
  tallest = innerWidth === width ? Math.max(tallest, height()) : height(); // or rotated
  width = innerWidth;
});

export const isOpen = () => height() < tallest - KEYBOARD_PX;
