// Sets light or dark before the first paint. A file of its own, since the
// content security policy allows no script inside the page.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("ujumbe.scheme");
  } catch (e) {
    // Storage may be closed to this page; the system's choice then holds.
  }
  if (chosen !== "light" && chosen !== "dark") {
    chosen = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }
  document.documentElement.setAttribute("data-mantine-color-scheme", chosen);
})();
