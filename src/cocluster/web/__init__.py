"""The workbench: a page on this machine that shows a project and edits it.

    guard.py      who is let in: one wrapper around everything
    app.py        routes, the page and news; serve.py starts it
    api.py        from requests to functions, and the OpenAPI document; routes/ has the functions
    desk.py       the project that is worked on
    jobs.py       long work in a process of its own: worker.py, tasks.py, questions.py, map.py,
                  inside.py
    samples.py    samples as they are shown; pictures.py where they are images
    history.py    undo and redo
    static/       the page: ES modules, no build step; vendor/ has Preact with htm, and its checksum

The folder of the project is the state. Whatever the page does can be done with a command, too.
"""
