// Names the countries to choose from in the language of the page, and sorts them as that language does.

const { lang } = document.documentElement;

function translate(select) {
  const names = new Intl.DisplayNames(lang, { type: "region", fallback: "none" });
  const { compare } = new Intl.Collator(lang);
  const options = [...select.options].filter((option) => option.value);
  for (const option of options) option.textContent = names.of(option.value) ?? option.textContent;
  options.sort((one, other) => compare(one.textContent, other.textContent));
  select.append(...options);
}

// The site's own names are English.
if (!lang.startsWith("en")) {
  for (const select of document.querySelectorAll("select[autocomplete=country]")) translate(select);
}
