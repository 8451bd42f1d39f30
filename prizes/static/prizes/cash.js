// The cash desk: finds a player in the list, counts the box, and says on the button what closing will record.

// NaN for what is no amount, and for what the server asks about, such as 1,500.
const amountOf = (text, exponent) => {
  const parts = text.replace(/\s/g, "").match(/^(\d*)(?:[.,](\d+))?$/);
  if (!parts || (parts[2] ?? "").length > exponent) return NaN;
  return Math.round(Number(`${parts[1] || 0}.${parts[2] ?? 0}`) * 10 ** exponent);
};

const textOf = (amount, exponent) =>
  (amount / 10 ** exponent).toLocaleString(document.documentElement.lang, {
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
  });

function setUpSearch(field) {
  field.hidden = false;
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    for (const line of document.querySelectorAll(".account-line")) {
      line.hidden = !line.dataset.name.includes(wanted);
    }
  });
}

function setUpCount(form) {
  const exponent = Number(form.dataset.exponent);
  const expected = Number(form.dataset.expected);
  const counted = form.elements.counted;
  const button = form.querySelector("button");
  const plain = button.textContent;
  const notes = form.querySelector(".count-notes");

  const label = () => {
    const difference = amountOf(counted.value, exponent) - expected;
    const which = difference === 0 ? "exact" : difference < 0 ? "short" : "over";
    const known = counted.value.trim() !== "" && !Number.isNaN(difference);
    const amount = textOf(Math.abs(difference), exponent);
    button.textContent = known ? `${plain} · ${form.dataset[which].replace("{amount}", amount)}` : plain;
  };
  counted.addEventListener("input", label);
  if (notes) {
    notes.hidden = false;
    notes.addEventListener("input", () => {
      let sum = amountOf(notes.querySelector("[data-coins]").value, exponent);
      for (const note of notes.querySelectorAll("[data-worth]")) {
        sum += Number(note.dataset.worth) * (Number.parseInt(note.value, 10) || 0);
      }
      counted.value = Number.isNaN(sum) ? "" : (sum / 10 ** exponent).toFixed(exponent);
      label();
    });
  }
}

for (const field of document.querySelectorAll("[data-find]")) setUpSearch(field);
for (const form of document.querySelectorAll("[data-count]")) setUpCount(form);
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
