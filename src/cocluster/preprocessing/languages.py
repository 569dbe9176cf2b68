"""Recognition of the languages of texts, and the stop words of these languages.

The lists are short on purpose: articles, pronouns, prepositions, conjunctions and the common forms
of helping verbs. They tell languages apart, and whatever else is in most documents of a collection
is found by its document frequency.
"""

from __future__ import annotations

import numpy as np

from cocluster.linalg.types import Array, InMemory

# Words of one letter are left out: they are never counted. Of words cut at an apostrophe the
# parts stand here ("don" of "don't", "qu" of "qu'il").
_LISTS = {
    "english": """
        about above after again against ain all also although always am among an and another any
        anybody anyone anything are aren around as at away back be became because been before
        being below between both but by came can cannot come could couldn did didn do does doesn
        doing don done down during each either else enough even ever every everybody everyone
        everything few for from further get gets getting give given go goes going got had hadn has
        hasn have haven having he her here hers herself him himself his how however if in indeed
        instead into is isn it its itself just know least less let like ll made make many may
        maybe me might mine more most much must my myself neither never no nobody none nor not
        nothing now of off often on once one only onto or other others otherwise our ours
        ourselves out over own perhaps please put quite rather re really said same say see seem
        seems shall she should shouldn since so some somebody someone something such take than
        that the their theirs them themselves then there therefore these they thing things think
        this those though through thus to together too under until up upon us use used using ve
        very want was wasn way we well went were weren what whatever when where whether which
        while who whole whom whose why will with within without would wouldn yes yet you your
        yours yourself yourselves""",
    "german": """
        aber alle allem allen aller alles als also am an andere anderen anderer auch auf aus bei
        beim bin bis bist da dabei dadurch dafür dagegen damit danach dann daran darauf daraus
        darin darüber das dass dazu daß dein deine dem den denn der deren des deshalb dessen die
        dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines
        einige er es etwas euch euer für gegen gibt hab habe haben hat hatte hatten hier hin
        hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem
        jeden jeder jedes jedoch jetzt kann kein keine keinem keinen keiner können könnte machen
        man mehr mein meine meinem meinen meiner mich mir mit muss müssen nach nicht nichts noch
        nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit selbst sich sie sind
        so solche soll sollen sollte sondern sonst um und uns unser unsere unter viel vom von vor
        wann war waren warum was weg weil weiter welche wenn wer werde werden wie wieder will wir
        wird wo wollen worden wurde wurden während würde würden zu zum zur zwar zwischen über""",
    "french": """
        afin ai ainsi alors après assez au aucun aucune aujourd aussi autre autres aux avait avant
        avec avez avoir avons beaucoup bien car ce ceci cela celle celles celui ces cet cette ceux
        chaque chez ci comme comment dans de depuis des deux doit donc dont du dès elle elles en
        encore entre est et eu eux faire fait faut fois font ici il ils je jusqu la le les leur
        leurs lors lorsqu lui là ma mais me mes moi moins mon même mêmes ne ni nos notre nous on
        ont ou où par parce pas pendant peu peut plus plusieurs pour pourquoi puis qu quand que
        quel quelle quelles quels qui quoi sa sans se sera ses seulement si son sont sous sur ta
        tandis te tes toi ton toujours tous tout toute toutes trop très tu un une va vers voici
        voilà vont vos votre vous ça étaient était été être""",
    "spanish": """
        acá ahora ahí al algo alguna algunas alguno algunos allí ante antes aquel aquella aquí así
        aunque aún bajo bien cada casi como con contra cosa cual cuales cualquier cuando cuál
        cuánto cómo de del desde después donde dos durante dónde el ella ellas ellos en entre era
        eran eres es esa esas ese eso esos esta estar estas este esto estos estoy está están fue
        fueron ha había han has hasta hay he la las le les lo los luego me menos mi mientras mis
        misma mismo mucho muchos muy más mí nada ni no nos nosotros nuestra nuestro nunca os otra
        otras otro otros para pero poco por porque puede pueden pues que quien quién qué se sea
        según ser si sido siempre sin sino sobre solo son su sus sí sólo también tan tanto te
        tiene tienen toda todas todavía todo todos tu tus tú un una uno unos usted ustedes va vez
        ya yo él""",
    "italian": """
        ad agli ai al alla alle allo allora altra altre altri altro anche ancora avere aveva
        avevano ben che chi ci circa ciò coi col come con contro cosa così cui da dagli dai dal
        dalla dalle dallo degli dei del dell della delle dello dentro deve di dopo dove due dunque
        ed egli era erano essere fa fare fino fra già gli ha hanno ho il in infatti io la le lei
        li lo loro lui ma me meno mentre mi mia mio molti molto ne negli nei nel nella nelle nello
        no noi non nostra nostro nulla ogni ora per perché però più poco poi possono prima proprio
        può qualche quale quali quando quanto quella quelle quelli quello questa queste questi
        questo qui sarà se sei sempre senza si sia siamo solo sono sopra sotto sta stata stato su
        sua sue sugli sui sul sulla sulle suo suoi tra tu tutta tutte tutti tutto un una uno vi
        voi""",
    "portuguese": """
        agora ainda algum alguma algumas alguns além ante antes ao aos apenas após aquela aquele
        aqui as assim até bem cada com como contra cuja cujo da dar das de dela dele deles depois
        desde dessa desse desta deste do dois dos durante ela elas ele eles em embora enquanto
        entre era eram essa essas esse esses esta estar estas estava este estes está estão eu faz
        fazer foi for foram ha há isso isto já lhe lhes lá mais mas me mesma mesmo meu meus minha
        muita muito muitos na nada nas nem nenhum nessa nesse nesta neste no nos nossa nosso num
        numa nunca não nós onde os ou outra outras outro outros para pela pelas pelo pelos per
        pode podem pois por porque pouco qual quando quanto que quem se seja sem sempre sendo ser
        será seu seus si sido sob sobre sua suas só também tanto te tem ter teu toda todas todo
        todos tu tudo tão têm um uma umas uns vai você vocês às és""",
    "dutch": """
        aan af al alle alleen als altijd andere ben bij daar dan dat de deze die dit doch doen
        door dus echter een eens elk elke en er ge geen geweest haar had hadden heb hebben heeft
        hem het hier hij hoe hun iemand iets ik in is ja je jij jou jouw jullie kan kon kunnen
        maar me meer men met mij mijn moet moeten na naar niet niets nog nooit nu of om omdat
        onder ons onze ook op over reeds sinds te tegen toch toen tot tussen uit uw van veel voor
        vooral waar waarom wanneer want waren was wat we weer wel welke wie wij wil worden wordt
        zal ze zeer zelf zich zij zijn zo zoals zonder zou zouden""",
    "swedish": """
        alla allt alltid att av bara blev bli blir båda de dem den denna deras dess dessa det
        detta dig din dina där då efter eller en ett finns från för före ha hade han hans har hela
        henne hennes hon honom hur här inga ingen inget inte jag ju kan kunde man med mellan men
        mer mig min mina mot mycket många måste ni nu när någon något några och om oss på redan
        samma sedan sig sin sina sitt ska skulle som så till under upp ut utan vad var vara varför
        varit vem vi vid vilka vilken vill än är även över""",
    "danish": """
        ad af aldrig alle alt altid anden at bare begge blev blive bliver da de dem den denne
        deres det dette dig din disse dog du efter eller en end er et for fordi fra få gør ham han
        hans har havde have hele hende her hos hun hvad hver hvilken hvis hvor hvordan hvorfor
        ikke ind ingen jeg jer jo kan kom kun kunne lige man mange med meget mellem men mere mig
        min mod må ned nej nogen noget nogle nu når og også om op os over på sammen selv sig sin
        skal skulle som så til ud uden under var ved vi vil ville være været""",
    "norwegian": """
        alle alt at av bare begge ble bli blir da de deg dem den denne dere deres det dette din
        disse dit du eller en enn er et etter for fordi fra få før ga hadde ham han hans har hele
        henne her hun hva hvem hver hvilken hvis hvor hvordan hvorfor ikke ingen inn jeg kan kom
        kun kunne man mange med meg meget mellom men mer min mot mye må ned nei noe noen nå når og
        også om opp oss over på samme seg selv sin sine skal skulle slik som så til ut uten var
        ved vi vil ville være vært""",
    "finnish": """
        aina ei eikä eivät ennen entä että he heidän hän hänen ja jo joissa joka jonka jos jossa
        jota jotka jotta kai kaikki kanssa kautta keskellä kuin kuinka kuka kun kuten kyllä me
        meidän miksi mikä minkä minun minä missä mitä mukaan mutta muu muut myös myöskin ne niin
        niitä noin nuo nyt näin nämä ole olen oli olivat olla ollut on ovat pitää saa se sekä sen
        siellä siinä siis siitä sillä sinä sitä tai te tuo tämä tämän tässä tästä tätä vaan vai
        vaikka vain voi voidaan voivat yli""",
    "polish": """
        aby albo ale ani aż bardzo bez bo być był była było były będzie cały chce choć ci co coś
        czy czyli dla dlaczego do dzięki gdy gdyby gdzie go ich ile im innych ja jak jako je
        jednak jego jej jest jestem jeszcze jeśli jeżeli już każdy kiedy kto która które którego
        której który których którzy lub ma mają mam mi między mnie może można mu my na nad nam nas
        nawet nic nich nie niego niej nim niż no od ona one oni oraz po pod ponieważ poza przed
        przede przez przy roku sam siebie się swoje są tak także tam te tego tej ten teraz też to
        tu ty tych tylko tym um we wszystko wtedy właśnie za zawsze ze że żeby""",
    "czech": """
        aby ale ani ano asi až bez bude budou by byl byla byli bylo být co což další do ho jak
        jako je jeho jej jejich její jen jenž jestli ještě ji jiné již jsem jsi jsme jsou jste kam
        kde kdo když která které kterého který kteří ku mají mezi mi mně mu my má mít může na nad
        nebo není než nic nich nám nás ní od on ona oni pak po pod podle pokud pouze pro proto
        protože proč před při se si svá své svůj ta tak také takže tam tato tedy ten tento to
        tohle toho tom tomu tu tuto ty tyto této tím už ve více však vše všechny za zde ze či že""",
    "hungarian": """
        abban ahhoz ahogy aki akik akkor alatt amely amelyek amelyet ami amikor amit arra arról az
        azok azon azonban azt aztán azután azért be csak de ebben egy egyes egyéb egész ennek erre
        ez ezek ezen ezt ezért fel felé ha hanem hiszen hogy hogyan igen illetve ilyen is ismét
        itt jobban jól kell kellett keresztül ki kívül között le legyen lehet lenne lesz lett ma
        maga magát majd meg mely mert mi mikor milyen mind minden mindig mint mit mivel most már
        más nagyon ne nekem neki nem nincs néha olyan ott pedig persze rá saját sem sok szemben
        szerint számára tehát tovább továbbá több után utána vagy vagyok valaki valami van vannak
        vele viszont volna volt voltak által általában át éppen és így össze úgy ők""",
    "romanian": """
        acea aceasta această aceea acei aceia acel acela acele acest acesta aceste acestea acestei
        acestor acestui acum ai aici al ale alt altă am ar are asta astfel atunci au avea avem
        aveți aș așa ați care ce cea cei cel cele celor cine cu cum când cât că căror către da
        dacă dar de deci despre deși din după ea ei el ele era eram erau este eu fi fie fiecare
        fiind fost fără iar ieri la le li lor lui mai mea mei meu mi mult multe mulți ne nici
        niște noi nostru nouă nu numai ori orice pe pentru peste poate prin sa sale sau se si sub
        sunt suntem sunteți sus să te tine toate tot toți tu un una unde unei unele unor unui va
        voi vom vor vă îi îl îmi în încă între își și""",
    "russian": """
        без более больше бы был была были было быть вам вас вдруг ведь во вот впрочем все всегда
        всего всех всю вы где да даже два для до другой его ее ей ему если есть еще ещё же за
        здесь из или им иногда их как какая какой когда конечно которая которого которой которые
        который кто куда ли лишь лучше между меня мне много может можно мой моя мы на над надо
        наконец нас не него нее ней нельзя нет ни нибудь никогда ним них ничего но ну об один он
        она они оно опять от очень перед по под после потом потому почти при про раз разве сам
        свой свою себе себя сейчас со совсем так также такой там тебя тем теперь то тогда того
        тоже только том тот три тут ты уж уже хорошо хоть чего чем через что чтоб чтобы чуть эта
        эти этим этих это этого этой этом этот эту""",
    "ukrainian": """
        або але без би був була були було бути вам вас весь ви вона вони воно все всі всіх він де
        для до же за зі його йому коли котрий крім лише мене мені ми може можна моя між мій на
        навіть над нам нас наш не немає неї ними них но ні ніж ніщо об один однак ось по поки при
        про під після саме своє свої своїх свій себе собі та так такий також там те тепер ти тим
        тих то тобі того тоді той тому треба тут тільки хоч хто це цей цього цьому ця ці цієї
        через чи чого чому ще що щоб як яка який яких якого якщо які із їй їм їх її""",
    "greek": """
        ένα έναν ένας έχει έχουν έχω ήταν αλλά αν απο από αυτά αυτές αυτή αυτοί αυτού αυτό αυτός
        αυτών για γιατί δεν διότι είμαι είναι είτε εγώ εδώ εκεί εμείς εσύ θα κάθε κάποιος κάτι και
        κατά μέσα μία μας με μετά μη μην μια μου μόνο να ναι ξανά ούτε ποιος πολύ ποτέ που πρέπει
        πριν προς πως πώς σαν σας σε σου στα στη στην στις στο στον στους τα τη την της τι τις το
        τον του τους των τόσο τότε τώρα όλα όλες όλοι όμως όπου όπως όταν ότι ώστε""",
    "turkish": """
        acaba ama ancak arada artık aslında ayrıca bana bazı belki ben beni benim bile bir biraz
        biri birkaç birçok biz bize bizi bizim bu buna bunda bundan bunlar bunu bunun burada böyle
        da daha de değil diye diğer dolayı en eğer gibi göre hangi hatta hem henüz hep hepsi her
        hiç ile ise için kadar karşın kendi kendine kez ki kim kimse mi mu mü mı nasıl ne neden
        nedenle nerede niye olan olarak oldu olduğu olduğunu olmak olması olsa olur ona ondan
        onlar onları onların onu onun oysa rağmen sadece sana sanki sen seni senin siz size sizi
        sizin son sonra tarafından tüm var ve veya ya yani yapmak yerine yine yok zaten çok çünkü
        üzere şey şimdi şu şunu şöyle""",
}

STOP_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(words.split()) for name, words in _LISTS.items()
}
_LISTED = frozenset().union(*STOP_WORDS.values())

# Of the words of running text in these languages, 25 to 50 in 100 are in the lists; of lists of
# names, of code, or of text in another language hardly one in 20.
LEAST_COVERED = 0.1
# A further language of fewer documents than this share is left to document frequencies: single
# documents are often taken for one that is near to their own.
LEAST_DOCUMENTS = 0.05
# A single word of a list tells nothing: "dog" is an animal, and Danish for "but". Nor do two of
# one document.
LEAST_WORDS = 2


def detect_languages(counts: InMemory, words: Array) -> tuple[str, ...]:
    """Recognise the main language of the documents, then further languages by document.

    Parameters
    ----------
    counts : csr_array of shape (n_documents, n_words)
        How often each word occurs in each document, stop words included.
    words : array of shape (n_words,)
        The words, in lower case.

    Returns
    -------
    tuple of str
        Keys of `STOP_WORDS`; empty if no language is recognised.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> counter = CountVectorizer().fit(["the cat and the dog are here", "der Hund und die Katze"])
    >>> texts = ["the dog and the cat are here", "die Katze und der Hund"]
    >>> detect_languages(counter.transform(texts), counter.get_feature_names_out())
    ('english', 'german')
    """
    stop_columns = [j for j, word in enumerate(words) if word in _LISTED]
    listed = np.array(
        [[words[j] in stop for stop in STOP_WORDS.values()] for j in stop_columns], float
    )
    listed = listed.reshape(len(stop_columns), len(STOP_WORDS))  # also if no word is known
    seen = counts[:, stop_columns]
    covered, different = seen @ listed, (seen > 0).astype(float) @ listed
    # A word of several languages tells them apart less: it counts as a share for each.
    evidence = seen @ (listed / listed.sum(axis=1, keepdims=True))
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    main = evidence.sum(axis=0).argmax()
    enough = covered[:, main].sum() > LEAST_COVERED * lengths.sum()
    recognised = [main] if enough and listed[:, main].sum() >= LEAST_WORDS else []
    best = evidence.argmax(axis=1)
    every = np.arange(len(best))
    sure = covered[every, best] > LEAST_COVERED * lengths
    sure &= different[every, best] > LEAST_WORDS
    documents = np.bincount(best[sure], minlength=len(STOP_WORDS))
    # Stable, so that of languages of equally many documents the first in the table comes first.
    order = np.argsort(-documents, kind="stable")
    recognised += [i for i in order if i != main and documents[i] > LEAST_DOCUMENTS * len(best)]
    names = list(STOP_WORDS)
    return tuple(names[i] for i in recognised)
