// Before anything is drawn: the theme that the visitor has chosen.
try {
  const theme = localStorage.getItem("theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {}
