/**
 * A button that copies a text, and says that it did. If the browser refuses, it selects the element that shows the
 * text.
 */
export function copyButton(text, shownIn, label = "Copy") {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
  button.className = "copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(shownIn);
      button.textContent = "Selected";
    }
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
  return button;
}

/** Puts a button to copy at the corner of a block of code. */
export function addCopyButton(pre) {
  const frame = Object.assign(document.createElement("div"), { className: "code" });
  pre.replaceWith(frame);
  frame.append(
    pre,
    copyButton(() => pre.textContent, pre),
  );
}
