require("./environment.js");
