import "./environment.js";
